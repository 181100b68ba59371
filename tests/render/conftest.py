"""A report made by hand: renderers see nothing but such a dictionary."""

import pytest

VIEWS = [
    {"name": "majority", "title": "majority reference", "sentence": "The decision against the most likely class."},
    {"name": "soft", "title": "soft reference", "sentence": "The prediction against the shares."},
    {"name": "soft_decision", "title": "soft, decision only", "sentence": "The decision against the shares."},
]
QUESTIONS = [(None, "accuracy"), (None, "multiclass_balanced_accuracy"), ("micro", "f1"), ("macro", "f1")]


def row(prediction, view, operator, measure, value, *, label=None, support=None, reach=0.05, note=""):
    return {
        "prediction": prediction,
        "view": view,
        "measure": measure,
        "operator": operator,
        "class": label,
        "value": value,
        "low": None if reach is None or value is None else value - reach,
        "high": None if reach is None or value is None else value + reach,
        "level": 0.95,
        "source": "sampling",
        "method": "" if reach is None else "influence logit",
        "standard_error": reach,
        "assumption": "examples drawn independently",
        "support": support,
        "note": note,
        "signature": f"{measure} task=multiclass n=40",
    }


def report_of(predictions=("ours", "theirs"), classes=("cat", "dog"), views=VIEWS):
    rows = []
    for i, prediction in enumerate(predictions):
        for j, view in enumerate(views):
            base = 0.75 - 0.125 * j - 0.0625 * i
            for operator, measure in QUESTIONS:
                rows.append(row(prediction, view["name"], operator, measure, base - 0.25 * (operator == "macro")))
            for k, label in enumerate(classes):
                for measure in ("f1", "precision"):
                    edge = k == 0 and measure == "precision"
                    reach, note = (None, "the value lies on the edge of its range") if edge else (0.05, "")
                    value = 1.0 if edge else base - 0.03125 * k
                    rows.append(
                        row(
                            prediction,
                            view["name"],
                            None,
                            measure,
                            value,
                            label=label,
                            support=20.5 + k,
                            reach=reach,
                            note=note,
                        )
                    )
    return {
        "schema_version": "1",
        "software": {"name": "softtruth", "version": "0.0"},
        "title": f"Evaluation of {', '.join(predictions)}",
        "task": "multiclass",
        "classes": list(classes),
        "n": 40,
        "predictions": list(predictions),
        "views": list(views),
        "remark": "The columns are not comparable." if len(views) > 1 else "",
        "headline": ["accuracy", "macro f1"],
        "measures": {
            "accuracy": {"asks": "Which share is right?", "better": "higher", "range": [0.0, 1.0]},
            "multiclass_balanced_accuracy": {"asks": "And by class?", "better": "higher", "range": [0.0, 1.0]},
            "f1": {"asks": "How well found and named?", "better": "higher", "range": [0.0, 1.0]},
            "precision": {"asks": "Which share of the alarms is right?", "better": "higher", "range": [0.0, None]},
        },
        "rows": rows,
        "findings": [
            {"code": "ties", "severity": "note", "sentence": "2 items are tied.", "numbers": {"tied": 2}, "where": []},
            {
                "code": "rare_class",
                "severity": "warning",
                "sentence": "1 class has fewer than 10 items.",
                "numbers": {},
                "where": [f"{predictions[0]}, soft reference"],
            },
        ],
        "settings": {"task": "multiclass", "level": 0.95, "coupling": {"majority": "hardened", "soft": "independent"}},
        "provenance": {
            "inputs": [{"role": "reference", "path": "votes.csv", "sha256": "ab" * 32, "bytes": 12, "rows": 1200}],
            "guesses": ["votes.csv: long annotations (override: --label)."],
            "accounting": {"sentences": ["Items in all files: 40."]},
            "options": {},
        },
        "sections": sections_of(predictions, views[0]["name"]),
    }


def sections_of(predictions, view):
    """Every section of two classes, small."""
    about = [{"prediction": name, "view": view} for name in predictions]
    steps, known = [0.1, 0.25, 0.9], {"interval": [0.8, 0.9], "estimate": 0.87, "estimate_interval": [0.85, 0.89]}
    curve = {"values": [0.5, 0.625, None], "low": [0.4, 0.5, None], "high": [0.6, 0.75, None]}
    sweep = {"class": "cat", "not_moved": 0, "steps": steps, "own": 1, "level": 0.95, "assumption": "label shift"}
    wrong = {"low": [0.8, 0.7], "high": [0.8, 0.9], "outer_low": [0.7, 0.6], "outer_high": [0.9, 0.95]}
    suspect = {"item": "i1", "label": "cat", "model": "dog", "doubt": 0.75}
    return {
        "confusion": [
            {**a, "form": "table", "classes": ["cat", "dog"], "others": 0, "masses": [[8.0, 2.0], [1.5, 9.0]]}
            for a in about
        ],
        "prior_sweep": [{**a, **sweep, "curves": {"accuracy": curve}} for a in about],
        "label_errors": [
            {
                **a,
                "rates": [0.0, 0.1],
                "curves": {"accuracy": {**wrong, "estimate": [0.8, None]}},
                "assumption": "none",
                "independent": "errors are independent",
            }
            for a in about
        ],
        "true_accuracy": [
            {
                **a,
                **known,
                "observed": 0.85,
                "low": 0.81,
                "high": 0.89,
                "reference_accuracy": 0.96,
                "refuted": False,
                "sentences": ["It is so."],
            }
            for a in about
        ],
        "suspects": [
            {
                "prediction": predictions[0],
                "items": 40,
                "voted": False,
                "labels": [suspect],
                "effect": "",
                "caution": "Look.",
            }
        ],
    }


@pytest.fixture
def made():
    """The function that makes a report."""
    return report_of
