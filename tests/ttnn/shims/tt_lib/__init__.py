# SPDX-License-Identifier: Apache-2.0
"""The few helpers of an older package that generators of test data still import."""
