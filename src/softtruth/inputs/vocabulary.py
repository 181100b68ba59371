"""The names by which columns are known in the wild, and how a name splits into what it holds and for which class.

Names only suggest; the values decide, and a flag overrides both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Side = Literal["prediction", "reference", "either"]

ITEM = (
    *("item", "item_id", "itemid", "id", "uid", "example", "example_id", "instance", "instance_id"),
    *("task", "task_id", "case", "case_id", "sample", "sample_id", "unit", "unit_id", "question", "question_id"),
    *("image", "image_id", "img", "document", "doc", "doc_id", "text_id", "tweet_id", "row_id", "index", "key"),
)
ANNOTATOR = (
    *("annotator", "annotator_id", "worker", "worker_id", "rater", "rater_id", "coder", "coder_id", "labeler"),
    *("labeller", "judge", "judge_id", "observer", "participant", "reviewer", "reader", "completed_by"),
    *("user", "user_id"),
)
FINDING = ("finding", "attribute", "aspect", "criterion", "dimension", "concept", "tag", "label_name", "trait")
REFERENCE_LABEL = (
    *("gold", "gold_label", "gold_standard", "truth", "ground_truth", "true", "true_label", "true_class", "y_true"),
    *("target", "reference", "reference_label", "expected", "actual", "y"),
)
PREDICTION_LABEL = (
    *("prediction", "predicted", "pred", "pred_label", "predicted_label", "predicted_class", "y_pred", "y_hat"),
    *("output", "model", "decision", "guess", "hypothesis"),
)
LABEL = ("label", "labels", "class", "category", "answer", "vote", "response", "annotation", "rating", "choice")
SCORE = ("score", "scores", "probability", "probabilities", "prob", "proba", "y_score", "y_prob", "confidence", "p")
RANK = ("rank", "ranking", "position")

PREDICTION_PREFIX = (
    *("p", "prob", "probs", "proba", "probability", "probabilities", "softmax", "pred", "preds", "prediction"),
    *("predictions", "score", "scores", "logit", "logits", "output", "outputs", "y_prob", "y_pred", "y_score"),
)
VOTES_PREFIX = ("n", "count", "counts", "vote", "votes", "num", "label_counter", "label_count")
REFERENCE_PREFIX = ("y", "true", "truth", "gold", "soft", "ref", "reference", "target", "share", "y_true", "dist")
KNOWN_PREFIXES = PREDICTION_PREFIX + VOTES_PREFIX + REFERENCE_PREFIX
# `n_annotators` counts people, and is no class.
TOTALS = ("annotators", "votes", "total", "ratings", "raters", "annotations", "labels", "workers", "all", "items")

SEPARATED = re.compile(r"^(?P<prefix>.+?)(?P<sep>[_.:\- ])(?P<rest>.+)$")


def plain(name: str) -> str:
    """Return a column name as the lists above spell it."""
    return re.sub(r"[\s\-.]+", "_", name.strip().lower())


def side_of_label(name: str) -> Side | None:
    """Return the side that a label column belongs to by its name, None when the name is no label's."""
    name = plain(name)
    if name in PREDICTION_LABEL:
        return "prediction"
    if name in REFERENCE_LABEL:
        return "reference"
    return "either" if name in LABEL else None


def side_of_prefix(prefix: str) -> Side | None:
    """Return the side that a group such as `p_cat, p_dog` belongs to, None when the prefix is not known."""
    prefix = plain(prefix)
    if prefix in PREDICTION_PREFIX:
        return "prediction"
    if prefix in VOTES_PREFIX or prefix in REFERENCE_PREFIX:
        return "reference"
    return None


def split_name(name: str, prefixes: tuple[str, ...]) -> tuple[str, str] | None:
    """Split `p_very_strong` into `p` and `very_strong`, for the longest known prefix; None when there is none."""
    low = name.lower()
    for prefix in sorted(prefixes, key=len, reverse=True):
        if len(name) > len(prefix) + 1 and low.startswith(prefix) and name[len(prefix)] in "_.:- ":
            return prefix, name[len(prefix) + 1 :]
    return None


def common_prefix(names: list[str]) -> int:
    """Return how many leading characters of every name are a shared prefix with its separator (0 for none)."""
    heads = {m["prefix"] + m["sep"] for name in names if (m := SEPARATED.match(name))}
    if len(names) < 2 or len(heads) != 1 or not all(SEPARATED.match(name) for name in names):
        return 0
    return len(heads.pop())


def classes_in_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the class names in column names: `p_cat, p_dog` stand for `cat, dog`."""
    splits = [split_name(name, KNOWN_PREFIXES) for name in names]
    if len({s[0] if s else None for s in splits}) == 1 and splits[0] is not None:
        return tuple(s[1] for s in splits if s)
    cut = common_prefix(list(names))
    return tuple(name[cut:] for name in names)
