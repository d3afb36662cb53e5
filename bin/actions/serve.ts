import { following } from "../../src/cli/following.ts";
import { withDuet } from "../../src/cli/opened.ts";
import { tellTroubles } from "../../src/cli/server-troubles.ts";
import { writeLine } from "../../src/cli/stderr-lines.ts";
import { cutText } from "../../src/core/cut-text.ts";
import { say } from "../../src/core/locale.ts";
import { printableLine } from "../../src/core/printable.ts";
import { exposeOf, toFlags } from "../options.ts";
import { modeOf, text, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Serves MCP over stdio until the client leaves, or over HTTP until the process is told to end. */
export function serve(values: Values): Action {
  const exposed = exposeOf(values);
  const flags = toFlags(values);
  const address = text(values.http);
  return (context) => {
    const face = address === undefined ? import("../../src/server/stdio.ts") : import("../../src/server/http.ts");
    return withDuet(flags, context, async (opened) => {
      const { duet, config, console, signal } = opened;
      const chosen = await face;
      const log = (line: string): void => writeLine(console, cutText(printableLine(line), 1000));
      // Whole results: who asks for them reads them to find out what went wrong.
      const logSteps = config.agent.verbose ? (line: string) => writeLine(console, printableLine(line)) : undefined;
      const options = { duet, log, signal, mode: modeOf(values), logSteps, ...exposed };
      const work = (): Promise<void> =>
        "serveOverStdio" in chosen
          ? chosen.serveOverStdio({
              ...options,
              settings: config.serve,
              asks: config.tools.ask,
              stdin: console.stdin,
              stdout: console.stdout,
              stderr: console.stderr,
            })
          : chosen.serveDuetOverHttp({ ...options, config, address: address ?? "" });
      if (address === undefined && console.stdin.isTTY) log(say(config.locale, atTerminal));
      void tellTroubles(opened);
      const onServers = (): void => void tellTroubles(opened);
      await following({ ...opened, flags, onServers }, work);
      return 0;
    });
  };
}

/** Typed by hand it would look as if it hung. */
const atTerminal = {
  zh: "这是供 MCP 宿主使用的服务器，在标准输入上等待 JSON-RPC 消息；duet install 把它写进宿主，duet 打开对话，Ctrl-C 结束。",
  en: "This is a server for MCP hosts and waits for JSON-RPC on stdin; duet install plugs it into a host, duet alone opens a chat, Ctrl-C ends it.",
};
