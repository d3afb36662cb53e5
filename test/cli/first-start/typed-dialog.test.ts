import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { LeftDialog, openTypedDialog } from "../../../src/cli/first-start/typed-dialog.ts";
import { offerTrust } from "../../../src/cli/trust/offer-trust.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { workplace } from "../../config/workplace.ts";

/** A terminal of plain bytes, with what was written to it. */
function openBytes() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} }) as unknown as NodeJS.ReadStream;
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream;
  let written = "";
  let seen = () => {};
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    seen();
  });
  return {
    console: { stdin, stdout },
    type: (keys: string) => (stdin as unknown as PassThrough).write(keys),
    written: () => written,
    /** Waits until the text was written. */
    shows: (text: string) =>
      new Promise<void>((resolve) => {
        seen = () => {
          if (written.includes(text)) resolve();
        };
        seen();
      }),
  };
}

function openDialog() {
  const bytes = openBytes();
  const dialog = openTypedDialog(bytes.console, new AbortController().signal);
  onTestFinished(dialog.close);
  return { ...bytes, dialog };
}

describe("a dialog of the first start", () => {
  test("takes a line with its corrections, and shows nothing of a secret but its length", async () => {
    const { dialog, type, written } = openDialog();
    const name = dialog.ask("Name: ");
    type("Adx\u007fa\r");
    expect(await name).toBe("Ada");
    expect(written()).toBe("Name: Adx\b \ba\n");
    const key = dialog.askSecret("Key: ");
    type("sk-hidden\u007f\r");
    expect(await key).toBe("sk-hidde");
    expect(written().slice(written().indexOf("Key"))).toBe(`Key: ${"•".repeat(9)}\b \b\n`);
  });

  test("takes nothing that was typed while it asked nothing", async () => {
    const { dialog, type } = openDialog();
    type("early\ry\r");
    await setImmediate();
    const answer = dialog.ask("? ");
    type("now\r");
    expect(await answer).toBe("now");
  });

  test.each([
    ["Escape", "\u001b", false],
    ["Ctrl-C", "\u0003", true],
    ["Ctrl-D", "\u0004", false],
  ])("is left by %s, in the middle of a line or of a wait", async (_, key, isInterrupt) => {
    const { dialog, type } = openDialog();
    const answer = dialog.askSecret("Key: ");
    type(`${key === "\u0004" ? "" : "half"}${key}`);
    await expect(answer).rejects.toMatchObject({ isInterrupt });
    expect(dialog.signal.reason).toBeInstanceOf(LeftDialog);
    await expect(dialog.ask("More: ")).rejects.toBe(dialog.signal.reason);
  });
});

describe("the question whether to trust a folder", () => {
  test.each([
    ["y\r", ["x"]],
    ["n\r", []],
    ["\u001b", []],
  ])("after %j the folder's servers are %j", async (keys, servers) => {
    const home = workplace({
      "repo/.git/HEAD": "",
      "repo/duet.config.json": JSON.stringify({ mcpServers: { x: { command: "x" } } }),
    });
    const place = { environment: { HOME: home, LANG: "en_US.UTF-8" }, directory: `${home}/repo` };
    const { console, type, shows, written } = openBytes();
    const offered = offerTrust({ flags: {}, console, signal: new AbortController().signal, place });
    await shows("[y/n] ");
    type(keys);
    expect(await offered).toBe("answered");
    expect(written()).toContain("starts the server x: x");
    const config = await loadConfig({}, place.environment, place.directory);
    expect(config.servers.map(({ name }) => name)).toEqual(servers);
  });
});
