# SPDX-License-Identifier: Apache-2.0
"""BERT: embeddings, layers of self-attention and feed-forward, a linear head for question answering."""
import math
from types import SimpleNamespace

import torch
from torch import nn

_SIZES = {  # layers, hidden size, heads, intermediate size
    "tiny": (2, 128, 2, 512),
    "L-4_H-256": (4, 256, 4, 1024),
    "base": (12, 768, 12, 3072),
    "large": (24, 1024, 16, 4096),
}


class BertConfig:
    def __init__(self, **settings):
        self.num_hidden_layers, self.hidden_size, self.num_attention_heads, self.intermediate_size = _SIZES["base"]
        self.vocab_size, self.max_position_embeddings, self.type_vocab_size = 30522, 512, 2
        self.pad_token_id = 0
        self.layer_norm_eps, self.initializer_range, self.num_labels = 1e-12, 0.02, 2
        self.__dict__.update(settings)

    @classmethod
    def from_pretrained(cls, name, **_settings):
        sizes = next((v for k, v in _SIZES.items() if k in str(name)), _SIZES["base"])
        return cls(**dict(zip(("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size"), sizes)))


class _Model(nn.Module):
    @classmethod
    def from_pretrained(cls, name, config=None, torchscript=False, torch_dtype=None, **_settings):
        config = config or BertConfig.from_pretrained(name)
        state = torch.get_rng_state()
        torch.manual_seed(0)
        model = cls(config).eval()
        for module in model.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=config.initializer_range)
        torch.set_rng_state(state)
        return model


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.num_attention_heads, self.attention_head_size = config.num_attention_heads, size // config.num_attention_heads
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))

    def _split(self, x):
        return x.reshape(*x.shape[:2], self.num_attention_heads, self.attention_head_size).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None):
        q, k, v = (self._split(f(hidden_states)) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            scores = scores + attention_mask
        out = scores.softmax(-1) @ v
        return (out.permute(0, 2, 1, 3).reshape(hidden_states.shape),)


class _Dense(nn.Module):
    """Linear, plus the residual, normalised."""

    def __init__(self, config, inner):
        super().__init__()
        self.dense = nn.Linear(inner, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden_states, input_tensor):
        return self.LayerNorm(self.dense(hidden_states) + input_tensor)


class BertSelfOutput(_Dense):
    def __init__(self, config):
        super().__init__(config, config.hidden_size)


class BertOutput(_Dense):
    def __init__(self, config):
        super().__init__(config, config.intermediate_size)


class BertAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self, self.output = BertSelfAttention(config), BertSelfOutput(config)

    def forward(self, hidden_states, attention_mask=None):
        return (self.output(self.self(hidden_states, attention_mask)[0], hidden_states),)


class BertIntermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, hidden_states):
        return nn.functional.gelu(self.dense(hidden_states))


class BertLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention, self.intermediate, self.output = BertAttention(config), BertIntermediate(config), BertOutput(config)

    def forward(self, hidden_states, attention_mask=None):
        attended = self.attention(hidden_states, attention_mask)[0]
        return (self.output(self.intermediate(attended), attended),)


class BertEncoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))

    def forward(self, hidden_states, attention_mask=None):
        for layer in self.layer:
            hidden_states = layer(hidden_states, attention_mask)[0]
        return SimpleNamespace(last_hidden_state=hidden_states)


class BertEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, size)
        self.LayerNorm = nn.LayerNorm(size, eps=config.layer_norm_eps)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        token_type_ids = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        position_ids = torch.arange(input_ids.shape[1])[None] if position_ids is None else position_ids
        return self.LayerNorm(self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids) +
                              self.position_embeddings(position_ids))


class BertModel(_Model):
    def __init__(self, config):
        super().__init__()
        self.config, self.embeddings, self.encoder = config, BertEmbeddings(config), BertEncoder(config)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        if attention_mask is not None:
            attention_mask = (1.0 - attention_mask.float())[:, None, None, :] * torch.finfo(torch.float32).min
        return self.encoder(self.embeddings(input_ids, token_type_ids, position_ids), attention_mask)


class BertForQuestionAnswering(_Model):
    def __init__(self, config):
        super().__init__()
        self.config, self.bert = config, BertModel(config)
        self.qa_outputs = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        logits = self.qa_outputs(self.bert(input_ids, attention_mask, token_type_ids, position_ids).last_hidden_state)
        return SimpleNamespace(start_logits=logits[..., 0], end_logits=logits[..., 1])
