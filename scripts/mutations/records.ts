import type { Mutation } from "./mutation.ts";

const resume = "test/agent/record/resume.test.ts";
const journal = "test/store/journal.test.ts";

/** The records of runs, and what goes on from them. */
export const records: readonly Mutation[] = [
  {
    id: "record-open-call",
    file: "src/agent/loop/run-call.ts",
    text: "if (run.services.record.isOpen(callId) && !isRepeatable(run, tool, call.arguments))",
    becomes: "if (run.services.record.isOpen(callId) && false)",
    tests: [resume],
    endangers: "after a crash a call that may have taken effect is made again",
  },
  {
    id: "record-repeatable",
    file: "src/agent/loop/run-call.ts",
    text: "return tool.canRepeat?.(args) === true ||",
    becomes: "return tool.canRepeat?.(args) !== false ||",
    tests: [resume],
    endangers: "a tool that says nothing about being called twice is called twice",
  },
  {
    id: "record-known-call",
    file: "src/agent/record/run-record.ts",
    text: "      if (isRecordedCall(data)) return data;\n",
    becomes: "",
    tests: [resume],
    endangers: "a call whose result is recorded is made again",
  },
  {
    id: "record-consent",
    file: "src/agent/record/run-record.ts",
    text: "      if (!isYes) return false;",
    becomes: "      return false;",
    tests: [resume],
    endangers: "a call that a person has agreed to once is made twice",
  },
  {
    id: "record-answer-first",
    file: "src/agent/record/run-record.ts",
    text: ", reply ?? null);",
    becomes: ", true);",
    tests: [resume],
    endangers: "what a person has answered is lost, and asked again",
  },
  {
    id: "record-unrecorded",
    file: "src/store/sqlite/journal/journal.ts",
    text: "if (run === undefined || !isGone(was) || readUnrecorded().has(runId)) return undefined;",
    becomes: "if (run === undefined || !isGone(was)) return undefined;",
    tests: [journal],
    endangers: "a run that made calls without records is resumed from before them",
  },
  {
    id: "record-owner-lives",
    file: "src/store/sqlite/journal/journal.ts",
    text: "holder !== lock?.holder && !isHolderAlive(file, holder)",
    becomes: "holder !== lock?.holder",
    tests: [journal],
    endangers: "two processes carry out one run",
  },
  {
    id: "record-stateful",
    file: "src/app/resume-run.ts",
    text: "return lost && lostStateError(lost.name);",
    becomes: "return undefined;",
    tests: ["test/app/resume-run.test.ts"],
    endangers: "a run goes on with a server that has lost what the run did",
  },
  {
    id: "record-failure",
    file: "src/agent/record/run-record.ts",
    text: '      await forbid("unrecorded");\n      onFailure',
    becomes: "      onFailure",
    tests: ["test/agent/record/failing-store.test.ts"],
    endangers: "a run whose steps are not recorded is resumed from before them",
  },
  {
    id: "record-stopped",
    file: "src/agent/run-agent.ts",
    text: "  if (signal.aborted) record.stop();\n",
    becomes: "",
    tests: ["test/agent/record/failing-store.test.ts"],
    endangers: "a run that a person has ended goes on after a crash",
  },
  {
    id: "record-fence",
    file: "src/store/sqlite/journal/journal.ts",
    text: "        const { changes } = await commit(({ addJournalStep }) => addJournalStep.run(step));\n        if (changes === 0) throw new LostRunError(runId);",
    becomes: "        await commit(({ addJournalStep }) => addJournalStep.run(step));",
    tests: [journal],
    endangers: "a run goes on as if it were recorded when it belongs to another process",
  },
  {
    id: "record-owner-events",
    file: "src/store/sqlite/journal/journal-statements.ts",
    text: "WHERE e.run = :run AND r.owner IS :owner ORDER BY e.n",
    becomes: "WHERE e.run = :run AND (r.owner IS :owner OR 1) ORDER BY e.n",
    tests: [journal],
    endangers: "a caller reads the events of another caller's run",
  },
];
