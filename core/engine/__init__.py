"""Where work runs: processes of this machine or a cluster, in jobs that can be watched, bounded and stopped."""

from .call import Call
from .cluster import CLUSTER
from .each import each, on_a_cluster
from .job import Job, Limits, Reached, Refusal, carry_out
from .jobs import Jobs
from .paces import remember_pace, seconds_for
from .process import WorkFailed, WorkLost, cores
