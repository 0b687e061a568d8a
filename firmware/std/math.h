/* SPDX-License-Identifier: Apache-2.0 */
#ifdef __cplusplus
#include <cmath>
using std::abs;
using std::ceil;
using std::fabs;
using std::floor;
using std::sqrt;
#endif
