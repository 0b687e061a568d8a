# SPDX-License-Identifier: Apache-2.0
from transformers.models.bert import modeling_bert
