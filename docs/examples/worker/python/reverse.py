#!/usr/bin/env python3
"""Turns texts around, in Python."""
import time

import worker


def reverse(call):
    text = call.arguments["text"]
    if not text:
        raise worker.Failure("REVERSE.EMPTY", "there is nothing to reverse")
    return {"text": text[::-1]}


def wait(call):
    begun = time.monotonic()
    call.progress("wait", 0, "waiting")
    while (waited := (time.monotonic() - begun) * 1000) < call.arguments["ms"]:
        if call.cancelled():
            break
        time.sleep(0.005)
    return {"waited": round(waited)}


worker.serve({"Reverse": reverse, "Wait": wait})
