"""A folder with a manifest, and the same folder as one compressed file."""

import contextlib
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


def _write_tar(folder, file):
    with tarfile.open(fileobj=file, mode="w|") as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            archive.add(path, arcname=str(path.relative_to(folder.parent)), recursive=False,
                        filter=_anonymous)


def _compress_into(target, folder):
    with subprocess.Popen(["xz", "-9", "--threads=0", "--stdout"], stdin=subprocess.PIPE,
                          stdout=target, stderr=subprocess.PIPE) as xz:
        try:
            with contextlib.suppress(BrokenPipeError):  # xz has ended, and says why
                _write_tar(folder, xz.stdin)
                xz.stdin.close()
            said = xz.stderr.read().decode(errors="replace").strip()
        except BaseException:
            xz.kill()  # it would go on for as long as compressing takes
            raise
    if xz.returncode != 0:
        raise RuntimeError(f"{target.name} cannot be written: {said or xz.returncode}")


def compress(folder, output):
    """Writes the folder, under its own name, as a .tar.xz; an old file stays until that is whole."""
    part = output.with_name(output.name + ".part")
    try:
        with open(part, "wb") as target:
            _compress_into(target, folder)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
