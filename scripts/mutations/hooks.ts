import type { Mutation } from "./mutation.ts";

const hooks = "test/tools/hooks/hooks.test.ts";
const replies = "test/tools/hooks/read-reply.test.ts";
const runs = "test/agent/hooks/hooks.test.ts";

/** The user's hooks: what they may decide, and when they run. */
export const hookMutations: readonly Mutation[] = [
  {
    id: "hook-deny-first",
    file: "src/tools/hooks/with-hooks.ts",
    text: '["deny", "ask", "allow"] as const',
    becomes: '["allow", "ask", "deny"] as const',
    tests: [hooks],
    endangers: "one hook allows what another denies",
  },
  {
    id: "hook-allow-rules",
    file: "src/tools/permission-rules.ts",
    text: 'const isAllowed = mayHooksAllow && hook?.decision === "allow";',
    becomes: 'const isAllowed = hook?.decision === "allow";',
    tests: [hooks],
    endangers: "a hook gets round a question that the operator has set",
  },
  {
    id: "hook-operator-rules",
    file: "src/tools/permission-rules.ts",
    text: "    if (denial) return {",
    becomes: '    if (denial && context?.hook?.decision !== "allow") return {',
    tests: [hooks],
    endangers: "a hook that allows gets round tools.deny",
  },
  {
    id: "hook-exit-two",
    file: "src/tools/hooks/read-reply.ts",
    text: "  if (code !== 2) return reply;",
    becomes: "  if (reply.decision !== undefined || code !== 2) return reply;",
    tests: [replies],
    endangers: "a hook that blocks with its exit code is overruled by what it prints",
  },
  {
    id: "hook-check-again",
    file: "src/tools/hooks/with-hooks.ts",
    text: "  if (before.arguments === undefined) return undefined;",
    becomes: "  if (before.arguments !== null) return undefined;",
    tests: [hooks],
    endangers: "arguments that a hook has changed reach a tool unchecked by the layer that says whose fault they are",
  },
  {
    id: "hook-time",
    file: "src/tools/hooks/open-hooks.ts",
    text: "timeoutMs: seconds * 1000,",
    becomes: "timeoutMs: 600_000,",
    tests: [hooks],
    endangers: "a hook that hangs holds up a run for as long as it likes",
  },
  {
    id: "hook-secrets",
    file: "src/tools/hooks/read-reply.ts",
    text: "takeStart(sanitize(redact(text)).trim(), longestText)",
    becomes: "takeStart(sanitize(text).trim(), longestText)",
    tests: [replies],
    endangers: "a secret that a hook prints reaches a model",
  },
  {
    id: "hook-fence",
    file: "src/agent/hooks/render-note.ts",
    text: `\\n\${fence(note, marker)}`,
    becomes: `\\n\${note}`,
    tests: [runs],
    endangers: "what a hook has read somewhere is an instruction",
  },
  {
    id: "hook-allowed-open",
    file: "src/agent/record/run-record.ts",
    text: 'const needsConsent = decided === "allow" ? false : asks || decided === "ask";',
    becomes: 'const needsConsent = asks || decided === "ask";',
    tests: [runs],
    endangers: "a call that a hook had allowed is made twice after a crash",
  },
  {
    id: "hook-trust",
    file: "src/config/sources/choose-files.ts",
    text: "const fileCounts = file.exists && file.text !== undefined && isTrusted(trusted, here, file.text);",
    becomes: "const fileCounts = file.exists && file.text !== undefined;",
    tests: ["test/config/hooks.test.ts"],
    endangers: "the hooks of a repository that nobody has trusted run",
  },
];
