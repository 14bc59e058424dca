from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.jobs.job import Job

JOB = Job("sweep", "git-1", "/srv/shop", "abc", "abc")


def test_jobs_of_one_kind_and_subject_at_one_occasion_are_the_same_job():
    assert JOB.id == replace(JOB, place="/home/ada/shop", trace="00-1-2-01").id
    others = (replace(JOB, kind="check"), replace(JOB, subject="git-2"), replace(JOB, key="d"), replace(JOB, since="e"))
    assert JOB.id not in {one.id for one in others}


def test_job_is_read_back_as_it_was_told():
    told = replace(JOB, files=("a.xml",), since="d").told()
    assert Job.of(told).told() == told


def test_job_of_a_version_that_knew_more_or_less_is_read():
    told = {"kind": "tick", "subject": "s", "place": "/p", "key": "k"}
    assert Job.of({**told, "colour": "red"}) == Job("tick", "s", "/p", "k")


def test_what_is_no_job_is_refused():
    with pytest.raises(InputError, match="another program"):
        Job.of({"to": "ada@example.org"})
