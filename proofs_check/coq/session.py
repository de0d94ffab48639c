"""One process of Coq that is asked section after section: what they require is loaded once."""

from __future__ import annotations

import re
import subprocess
import threading
from pathlib import Path
from types import TracebackType

from proofs_check.coq.algorithm.compiled import axioms
from proofs_check.coq.check import ADMITTED, Answer

__all__ = ["Session"]

END = "the_section_has_ended"


class Session:
    """Coq's toplevel in a folder whose libraries are compiled."""

    def __init__(self, folder: Path, head: str) -> None:
        command = ["coqtop", "-q", "-R", ".", "Simspec"]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        error = self._said(f"{head}\n")
        if "error:" in error.lower():
            self.__exit__(None, None, None)
            raise ValueError(f"coqtop: {error}")

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, section: str) -> Answer:
        """The answer to a section, of which nothing is left for the next one.

        What the lemmas rest on, its last line, is asked only where none is admitted.
        """
        text, question = section.rsplit("\n", 1)
        assert question.startswith("Print Assumptions ")
        output = self._said(f"Module Asked.\n{text}\n")
        admitted = tuple(re.findall(rf"\b{ADMITTED} (\w+)$", output, re.MULTILINE))
        error = " ".join(output[output.lower().index("error:") :].split()) if "error:" in output.lower() else ""
        report = "" if error or admitted else self._said(f"{question}\n")
        self._said("Abort All.\nReset Asked.\n")
        if (
            not error
            and not admitted
            and not re.search(r"^(?:Axioms:|Closed under the global context)$", report, re.MULTILINE)
        ):
            error = "no report on what the lemmas rest on"
        return Answer(admitted, frozenset(axioms(report)), error)

    def printed(self, text: str, seconds: float) -> str:
        """What a module prints in a time, or Coq's error in it; nothing of the module is left for the next one.

        Raises
        ------
        TimeoutError
            where there is no answer in that time: Coq has been stopped, and answers nothing more.
        """
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            output = self._said(f"Module Asked.\n{text}\n")
            self._said("Abort All.\nReset Asked.\n")
        except BrokenPipeError:
            raise TimeoutError(f"no answer in {seconds:g} s") from None
        finally:
            timer.cancel()
        return output

    def _said(self, text: str) -> str:
        """What is printed up to the answer to a last command; prompts are left out.

        Raises
        ------
        BrokenPipeError
            where Coq has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{text}Print {END}.\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if END in line and "not a defined object" in line:
                break
            lines.append(re.sub(r"^(?:Coq < )+", "", line.rstrip("\n")))
        else:
            raise BrokenPipeError("coqtop has ended")
        text_before, *_ = "\n".join(lines).rsplit("Toplevel input", 1) if lines else ("",)
        return text_before
