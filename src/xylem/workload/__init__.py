"""Synthetic workloads from a schema: `subscriptions(schema, …)` and `documents(schema, …)`, seeded."""

from xylem.workload.bundled import bundled_schema
from xylem.workload.distributions import Numbers, Shape
from xylem.workload.documents import documents
from xylem.workload.names import subscription_namespaces
from xylem.workload.parameters import DocumentParameters, PredicateOn, SizeClass, SubscriptionParameters
from xylem.workload.subscriptions import stream_subscriptions, subscriptions
from xylem.workload.values import ValueParameters

__all__ = [
    "DocumentParameters",
    "Numbers",
    "PredicateOn",
    "Shape",
    "SizeClass",
    "SubscriptionParameters",
    "ValueParameters",
    "bundled_schema",
    "documents",
    "stream_subscriptions",
    "subscription_namespaces",
    "subscriptions",
]
