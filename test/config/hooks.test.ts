import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { trustFiles } from "../../src/config/trust/trusted-files.ts";
import { findUnusedSettings } from "../../src/config/unused.ts";
import { load, refusal, workplace } from "./workplace.ts";

const group = { matcher: "shell", hooks: [{ type: "command", command: `\${CLAUDE_PROJECT_DIR}/x \${UNSET#y}` }] };
const file = { hooks: { PreToolUse: [group], Notification: [group] } };

test("hooks are taken as they are written, and an event at which nothing runs is told", async () => {
  const config = await load({ file });
  expect(config.hooks).toEqual({ PreToolUse: [group] });
  expect(findUnusedSettings(config)).toEqual(["hooks.Notification"]);
});

test.each([
  [{ PreToolUse: [{ matcher: "(", hooks: group.hooks }] }, 'PreToolUse[0].matcher: "(" is not allowed'],
  [{ PreToolUse: [{ hooks: [{ type: "command" }] }] }, "PreToolUse[0].hooks[0].command: is missing"],
  [{ PreToolUse: [{ hooks: [{ type: "prompt" }] }] }, '"prompt" is not allowed (allowed: command, module)'],
  [{ PreToolUse: [{ hooks: [{ ...group.hooks[0], async: true }] }] }, "async: true is not allowed (allowed: false)"],
  [{ PreToolUs: [] }, "did you mean PreToolUse?"],
])("a mistake in hooks is one line that says what is allowed: %j", async (hooks, line) => {
  expect(await refusal({ file: { hooks } })).toContain(line);
});

test("hooks of a configuration in a work tree count once its exact content is trusted", async () => {
  const text = JSON.stringify(file);
  const directory = workplace({ "duet.config.json": text });
  mkdirSync(join(directory, ".git"));
  const environment = { HOME: directory, DUET_HOME: join(directory, "state") };
  expect((await loadConfig({}, environment, directory)).hooks).toEqual({});
  mkdirSync(environment.DUET_HOME);
  await trustFiles([{ file: join(directory, "duet.config.json"), text }], environment.DUET_HOME);
  expect((await loadConfig({}, environment, directory)).hooks).toEqual({ PreToolUse: [group] });
});
