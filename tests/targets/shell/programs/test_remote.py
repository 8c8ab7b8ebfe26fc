"""What happens on another machine or in a container changes no file here, until it is copied."""

from __future__ import annotations

import pytest

from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "text",
    [
        "ssh h 'echo x > a.txt'", "ssh h rm a.txt", "ssh -p 22 h <<'E'\nrm a.txt\nE", "docker ps", "docker exec c sh -c 'rm /x'",
        "docker run --rm alpine rm /x", "docker build -t x .", "docker logs c | tail", "docker compose exec web rm /x", "docker compose ps",
        "kubectl exec p -- rm /x", "kubectl apply -f data.json", "kubectl get po -o yaml", "gh pr create --body 'a > b'",
        "gh api repos/o/r -f m='a > b'", "gh run view --log", "aws s3 cp a.txt s3://b/x", "aws s3 ls", "aws s3 sync --dryrun s3://b out",
        "gcloud compute instances list", "rclone copy a.txt r:x", "podman images", "redis-cli get x", "mongosh --eval 'db.x.find({a: {$gt: 3}})'",
    ],
)  # fmt: skip
def test_elsewhere(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("docker cp c:/etc/hosts docs", ["write* docs/hosts"]),
        ("docker cp c:/etc/hosts q", ["write* q"]),
        ("docker compose cp web:/x q", ["write* q"]),
        ("docker save -o q img", ["write q"]),
        ("docker run --cidfile q alpine", ["write q"]),
        ("kubectl cp p:/x q", ["write* q"]),
        ("kubectl kustomize . -o q", ["write* q"]),
        ("gh release download v1 -p x.tgz", ["write x.tgz"]),
        ("gh release download v1 -p x.tgz -D out", ["write out/x.tgz"]),
        ("gh release download -O q", ["write q"]),
        ("gh repo clone o/r", ["write* r"]),
        ("aws s3 cp s3://b/x q", ["write* q"]),
        ("aws s3 mv a.txt s3://b/x", ["delete* a.txt"]),
        ("gsutil cp gs://b/x q", ["write* q"]),
        ("ssh -E q h true", ["append q"]),
    ],
)
def test_copies_to_this_machine(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ['docker run -v "$PWD:/w" alpine rm /w/a.txt', "docker run --mount type=bind,src=.,dst=/w alpine true", "docker compose up -d",
     "gh pr checkout 1", "ssh -o ProxyCommand='sh -c x' h", "gh run download", "aws configure"],
)  # fmt: skip
def test_ways_back_into_the_workspace(text):
    assert is_opaque(text)


def test_the_mounted_directory_is_among_the_words():
    found = extracted("docker run -v ./.recursive/run:/w alpine sh -c 'rm /w/x'")

    assert "/repo/.recursive/run" in found.opaque[0].words
