"""Where work runs: processes of this machine or a cluster, in jobs that can be watched, bounded and stopped."""

from .call import Call
from .cluster import CLUSTER
from .each import each, on_a_cluster
from .jobs import Job, Jobs, Limits, Reached
from .paces import remember_pace, seconds_for
from .process import WorkFailed, WorkLost, cores
from .steps import Refusal, carry_out
