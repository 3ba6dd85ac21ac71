"""Where work runs: processes of this machine or a cluster, in jobs that can be watched, bounded and stopped."""

from .cluster import CLUSTER
from .each import each, on_a_cluster, one_thread
from .jobs import Job, Jobs, Limits, Reached, Refusal, remember_pace, seconds_for
from .process import Call, WorkFailed, WorkLost, cores
from .worker import bounded
