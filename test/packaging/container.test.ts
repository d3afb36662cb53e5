import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { collect, startProgram } from "../fakes/program.ts";

/** The instructions of the container file's last stage, in order, each with its text. */
const instructions = readFileSync("Dockerfile", "utf8")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split(/^(?=FROM )/m)
  .at(-1)
  ?.matchAll(/^([A-Z]+) (.*)$/gm);
const list = [...(instructions ?? [])].map(([, name = "", text = ""]) => ({ name, text }));

function textOf(instruction: string): string {
  return list.findLast(({ name }) => name === instruction)?.text ?? "";
}

const words = z.array(z.string());

test("the container runs as a user without rights, and writes below its volume alone", () => {
  expect(textOf("USER")).toBe("1000:1000");
  const names = list.map(({ name }) => name);
  // What comes after the user is run by it.
  expect(names.slice(names.lastIndexOf("USER") + 1)).toEqual([
    "WORKDIR",
    "VOLUME",
    "EXPOSE",
    "HEALTHCHECK",
    "ENTRYPOINT",
    "CMD",
  ]);
  expect(textOf("ENV")).toContain("HOME=/data");
  expect([textOf("WORKDIR"), textOf("VOLUME")]).toEqual(["/data", "/data"]);
  const { mcpName } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(textOf("LABEL")).toContain(`io.modelcontextprotocol.server.name="${mcpName}"`);
});

test("the container's command is one of the program, which is told to need a token there", async () => {
  const command = words.parse(JSON.parse(textOf("CMD")));
  expect(command.at(-1)).toBe(`0.0.0.0:${textOf("EXPOSE")}`);
  const child = await startProgram(command);
  child.stdin.end();
  const { code, stderr } = await collect(child);
  expect(code).toBe(2);
  expect(stderr).toContain("DUET_HTTP_TOKEN");
});

test("the container's health check passes while the server answers, and fails when it does not", async () => {
  const [, check = ""] = /CMD (\[.*\])$/.exec(textOf("HEALTHCHECK")) ?? [];
  const [, ...args] = words.parse(JSON.parse(check));
  const { port, close } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "a-token-of-sixteen" } });
  const exitCode = async (): Promise<unknown> => {
    const at = args.map((word) => word.replace(`:${textOf("EXPOSE")}/`, `:${port}/`));
    const [code] = await once(spawn(process.execPath, at), "exit");
    return code;
  };
  expect(await exitCode()).toBe(0);
  await close();
  expect(await exitCode()).toBe(1);
});

const workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      needs: z.union([z.string(), words]).optional(),
      strategy: z.object({ matrix: z.object({ system: words, node: words }) }).optional(),
      permissions: z.record(z.string(), z.string()).optional(),
      steps: z.array(z.object({ run: z.string().optional() })),
    }),
  ),
});

test("a release is published only after the tests, the container and the package on each system", () => {
  const { jobs } = workflow.parse(parse(readFileSync(".github/workflows/release.yml", "utf8")));
  expect(jobs.publish?.needs).toEqual(["test", "pack", "try", "container"]);
  expect(Object.keys(jobs).sort()).toEqual(["container", "pack", "publish", "test", "try"]);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(jobs.try?.strategy?.matrix).toEqual({
    system: ["ubuntu-latest", "macos-latest", "windows-latest"],
    node: [`${engines.node.replace(">=", "")}.0`, "24"],
  });
  // Nobody else may write anything.
  expect(Object.entries(jobs).filter(([name, { permissions }]) => name !== "publish" && permissions)).toEqual([]);
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run.split("\n")));
  const files = commands.flatMap((command) => /^(?:node )?((?:scripts|\.ci)\/\S+)/.exec(command)?.[1] ?? []);
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
