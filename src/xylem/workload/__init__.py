"""Synthetic workloads from a schema: `subscriptions(schema, …)` and `documents(schema, …)`, seeded."""

from xylem.workload.bundled import bundled_schema
from xylem.workload.covering import covering_rate
from xylem.workload.distributions import Numbers, Shape
from xylem.workload.documents import document_name, documents
from xylem.workload.names import subscription_namespaces
from xylem.workload.pairs import Pairs, pairs
from xylem.workload.parameters import LARGE, SMALL, DocumentParameters, PredicateOn, SizeClass, SubscriptionParameters
from xylem.workload.search import Covered, with_covering_rate
from xylem.workload.subscriptions import stream_subscriptions, subscriptions
from xylem.workload.values import ValueParameters

__all__ = [
    "LARGE",
    "SMALL",
    "Covered",
    "DocumentParameters",
    "Numbers",
    "Pairs",
    "PredicateOn",
    "Shape",
    "SizeClass",
    "SubscriptionParameters",
    "ValueParameters",
    "bundled_schema",
    "covering_rate",
    "document_name",
    "documents",
    "pairs",
    "stream_subscriptions",
    "subscription_namespaces",
    "subscriptions",
    "with_covering_rate",
]
