import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkAgents } from "../../../src/cli/doctor/check-agents.ts";
import { checkServerSettings } from "../../../src/cli/doctor/check-settings.ts";
import { renderFinding } from "../../../src/cli/doctor/doctor.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";

test("doctor says which agents can be started, and which of those known by name are installed", async () => {
  const folder = await temporaryFolder();
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "gemini"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(bin, "goose"), "not a program", { mode: 0o644 });
  const file = await configFile({
    locale: "en",
    agents: {
      gemini: { acp: {} },
      goose: { acp: { command: join(bin, "gemini"), cwd: "./gone" } },
      codex: { acp: {} },
      mine: {
        description: "Mine.",
        acp: { command: "npx", args: ["-y", "some-agent"], env: { NODE_OPTIONS: "-r x" } },
      },
      writer: { description: "Writes." },
    },
  });
  const config = await loadConfig({ config: file }, { HOME: folder, PATH: bin }, await temporaryFolder());
  const findings = [...(await checkAgents(config)), ...checkServerSettings(config)];
  const lines = findings.map((finding) => renderFinding(finding, "en"));
  expect(lines.map((line) => line.replace(/(npx): .*/, "$1"))).toEqual([
    `✓ agent gemini: ${join(bin, "gemini")}`,
    `✗ agent goose: there is no folder ${JSON.stringify(join(dirname(file), "gone"))} to work in (agents.goose.acp.cwd).`,
    '✗ agent codex: there is no command "codex-acp". Run: npm install -g @agentclientprotocol/codex-acp',
    expect.stringMatching(/^[✓✗] agent mine: /),
    "– other agents, not configured: not installed claude-code, opencode, qwen",
    "– agent mine: gets NODE_OPTIONS, which can make it run other code.",
    "– agent mine: the version of some-agent is not pinned: its next start may run another program. Write some-agent@VERSION.",
  ]);
  const [atHome] = await checkAgents(await loadConfig({ config: file }, { HOME: folder, PATH: bin }, folder));
  expect(atHome && renderFinding(atHome, "en")).toMatch(/^✗ agent gemini: .* Set agents\.gemini\.acp\.cwd\.$/);
});
