/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER 42
