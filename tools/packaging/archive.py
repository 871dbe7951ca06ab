"""A folder with a manifest, and the same folder as one compressed file."""

import hashlib
import json
import subprocess
import tarfile

MANIFEST = "MANIFEST.json"


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_manifest(folder, facts):
    """Says of each file its size and digest, after the facts."""
    files = {str(path.relative_to(folder)): {"bytes": path.stat().st_size, "sha256": digest_of(path)}
             for path in sorted(folder.rglob("*")) if path.is_file()}
    text = json.dumps({**facts, "files": files}, indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _anonymous(member):
    """The same archive comes of the same files, whoever makes it and when."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member


def compress(folder, output):
    """Writes the folder, under its own name, as a .tar.xz; an old file stays until that is whole."""
    part = output.with_name(output.name + ".part")
    try:
        with open(part, "wb") as target, \
                subprocess.Popen(["xz", "-9", "--threads=0", "--stdout"], stdin=subprocess.PIPE,
                                 stdout=target) as xz:
            with tarfile.open(fileobj=xz.stdin, mode="w|") as archive:
                for path in [folder, *sorted(folder.rglob("*"))]:
                    archive.add(path, arcname=str(path.relative_to(folder.parent)), recursive=False,
                                filter=_anonymous)
            xz.stdin.close()
            if xz.wait() != 0:
                raise RuntimeError(f"xz failed with exit code {xz.returncode}")
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
