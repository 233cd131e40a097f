"""A study file as plain SI values: parameters, inputs, initial state, samples, what to keep."""

from zwang.study.file import StudyError
from zwang.study.inputs import DATASET_NAMES, FUNCTION_NAMES, CheckExpression
from zwang.study.reading import cases, read, read_text, title
from zwang.study.values import Declared, Samples, Study, chunks

__all__ = [
    "DATASET_NAMES",
    "FUNCTION_NAMES",
    "CheckExpression",
    "Declared",
    "Samples",
    "Study",
    "StudyError",
    "cases",
    "chunks",
    "read",
    "read_text",
    "title",
]
