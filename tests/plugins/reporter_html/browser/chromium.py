"""Headless Chromium through the DevTools protocol, over a pipe: the standard library is enough."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT_S = 600
# Where the browser expects its pipe.
BROWSER_READS, BROWSER_WRITES = 3, 4


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def _above_standard(descriptor):
    """A copy that neither BROWSER_READS nor BROWSER_WRITES overwrites."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)
    os.close(descriptor)
    return copy


class Chromium:
    """A browser with one page. What fails raises RuntimeError, exceptions of the page too."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reads, self._out = map(_above_standard, os.pipe())
        self._in, writes = map(_above_standard, os.pipe())

        def connect():
            os.dup2(reads, BROWSER_READS)
            os.dup2(writes, BROWSER_WRITES)

        with open(os.path.join(self._folder.name, "log"), "w", encoding="utf-8") as log:
            self._process = subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
                [find(), "--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
                 f"--user-data-dir={self._folder.name}", "about:blank"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=False,
                preexec_fn=connect)
        os.close(reads)
        os.close(writes)
        self._buffer = b""
        self._next_id = 0
        self._events = []
        self._session = None
        self._session = self._attach()
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.reset()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _attach(self):
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        return self.send("Target.attachToTarget", targetId=page["targetId"],
                         flatten=True)["sessionId"]

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self._in, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("Chromium ended" if ready else "Chromium does not answer")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        """Calls a method of the protocol and gives its result."""
        self._next_id += 1
        message = {"id": self._next_id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._next_id:
                break
            self._events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def events(self, method):
        """The parameters of the events of that name so far."""
        return [event["params"] for event in self._events if event.get("method") == method]

    def reset(self):
        """The window and the media that a page finds at first."""
        self.send("Emulation.setEmulatedMedia", media="")
        self.prefer_scheme("light")
        self.resize(1400, 1000)

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def prefer_scheme(self, scheme):
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def settle(self):
        """Waits until the page has answered a change of the window or of the media."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(done)))")

    def open(self, path):
        """Opens a file; gives the milliseconds until the page says that it is ready."""
        begin = time.monotonic()
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        while not self.evaluate("document.documentElement?.dataset.ready === 'true'"):
            if time.monotonic() - begin > TIMEOUT_S:
                raise RuntimeError("the page does not get ready")
            time.sleep(0.005)
        return (time.monotonic() - begin) * 1e3

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def press(self, key, text=None):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text or "")
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def screenshot(self, path, whole_page=False):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole_page)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        data = self.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
        return base64.b64decode(data)

    def close(self):
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()
