import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { collect, programEnvironment } from "../../fakes/program.ts";
import { linux, requires } from "../../runner/requirements.ts";

const secrets = { OPENAI_API_KEY: "sk-CANARY-0123456789-openai", ODD: "CANARY-é=0123456789-odd" };

test(
  "what a process has erased stays in its own variables, and no other process reads it",
  requires(linux),
  async () => {
    const module = new URL("../../../src/kit/process/hide-environment.ts", import.meta.url).href;
    const script = `
    import { execFileSync } from "node:child_process";
    import { hideEnvironment } from ${JSON.stringify(module)};
    hideEnvironment(process);
    const { ODD, OPENAI_API_KEY, PATH, LANG } = process.env;
    const read = (env) => execFileSync("/bin/cat", ["/proc/" + process.pid + "/environ"], { env }).toString("utf8");
    const inherited = execFileSync("/bin/sh", ["-c", "echo $ODD"]).toString("utf8").trim();
    console.log(JSON.stringify({ own: { ODD, OPENAI_API_KEY }, LANG, inherited, seen: read({ PATH }) }));
  `;
    const env = await programEnvironment(secrets);
    const { stdout } = await collect(spawn(process.execPath, ["--input-type=module", "-e", script], { env }));
    const { own, LANG, inherited, seen } = JSON.parse(stdout);
    expect(own).toEqual(secrets);
    expect({ LANG, inherited }).toEqual({ LANG: "en_US.UTF-8", inherited: secrets.ODD });
    expect(seen).not.toContain("CANARY");
    expect(seen).toContain("LANG=en_US.UTF-8");
  },
);
