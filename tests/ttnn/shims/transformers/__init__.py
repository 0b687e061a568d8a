# SPDX-License-Identifier: Apache-2.0
"""What scripts use of transformers for BERT: plain torch modules with the attribute names of its
weights, which are drawn from a seed. There is no hub."""
from types import SimpleNamespace

from transformers import models
from transformers.models.bert.modeling_bert import BertConfig, BertForQuestionAnswering, BertModel

logging = SimpleNamespace(set_verbosity_error=lambda: None, set_verbosity_warning=lambda: None)
