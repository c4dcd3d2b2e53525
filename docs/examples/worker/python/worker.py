"""Serves the calls of a plugin: frames come in on the standard input, answers go out on the standard output.

    worker.serve({"Reverse": lambda call: {"text": call.arguments["text"][::-1]}})

A function gets a Call and returns the data of its answer, or raises Failure. It runs in the only thread.
"""
import collections
import json
import os
import select
import sys
import traceback


class Failure(Exception):
    """An error that the plugin foresees; code is one of the manifest's errorCodes."""

    def __init__(self, code, message):
        super().__init__(message)
        self.payload = answer("error", error={"code": code, "message": message})


class Call:
    """One call. Its context has dataDir, config, deadline and so on."""

    def __init__(self, server, frame):
        self.id = frame["id"]
        self.command = frame["payload"]["command"]
        self.arguments = frame["payload"]["arguments"]
        self.context = frame["payload"]["context"]
        self._server = server

    def progress(self, stage, share=None, message=None):
        self._server.send("tool-progress", self.id, {"stage": stage, "progress": share, "message": message})

    def cancelled(self):
        """Whether the call is to end: then return, whatever is done by then. Ask often."""
        while not self._server.ended and select.select([0], [], [], 0)[0]:
            self._server.read()
        return any(f["vcp"] == "tool-cancel" and f["id"] == self.id for f in self._server.frames)


sys.setrecursionlimit(max(sys.getrecursionlimit(), 4000))  # a call may have 1,024 levels, json counts each as a call
encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def answer(status, data=None, **more):
    return {"status": status, "data": data, "resources": [], "warnings": [], "extensions": {}, **more}


def line(kind, id, payload):
    return (encode({"vcp": kind, "version": "1.0", "id": id, "payload": payload}) + "\n").encode()


class _Server:
    def __init__(self):
        self.frames = collections.deque()
        self.ended = False
        self._rest = bytearray()
        self._out = os.dup(1)
        os.dup2(2, 1)  # what is printed, also by programs that are started here, is no frame
        sys.stdout = sys.stderr

    def read(self):
        """Waits for input and takes in the lines that are complete."""
        data = os.read(0, 1 << 16)
        self.ended = not data
        seen = len(self._rest)
        self._rest += data
        if self._rest.find(b"\n", seen) < 0:
            return
        *lines, self._rest = self._rest.split(b"\n")
        self.frames.extend(json.loads(line.decode()) for line in lines if line.strip())

    def send(self, kind, id, payload):
        self.write(line(kind, id, payload))

    def write(self, text):
        while text:
            text = text[os.write(self._out, text):]

    def run(self, commands, call):
        try:
            text = line("tool-result", call.id, answer("success", commands[call.command](call)))
        except Failure as failure:
            text = line("tool-result", call.id, failure.payload)
        except Exception:  # of the function, whatever it is, or data that is no JSON
            traceback.print_exc()
            error = {"code": "INTERNAL_ERROR", "message": call.command + " broke down"}
            text = line("tool-result", call.id, answer("error", error=error))
        self.write(text)  # what fails here ends the program: nobody can be answered any more


def serve(commands):
    """Answers calls until the input ends."""
    server = _Server()
    while server.frames or not server.ended:
        if not server.frames:
            server.read()
        elif (frame := server.frames.popleft())["vcp"] == "tool-call":
            server.run(commands, Call(server, frame))
