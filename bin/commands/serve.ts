import { type Console, createWarn } from "../../src/cli/console.ts";
import { followConfig } from "../../src/cli/follow-config.ts";
import { type DuetContext, withDuet } from "../../src/cli/with-duet.ts";
import type { ServerStatus } from "../../src/client/server-connection.ts";
import type { Config } from "../../src/config/config.ts";
import { hideSecrets } from "../../src/config/secrets/mask.ts";
import { listSecrets } from "../../src/config/secrets/secrets.ts";
import { ignoreRejection } from "../../src/kit/async/ignore-rejection.ts";
import { say } from "../../src/kit/locale.ts";
import { collectGarbageEarlier } from "../../src/kit/process/collect-garbage-earlier.ts";
import type { RunHandle } from "../../src/runs/live/run-handle.ts";
import { createWarnings } from "../../src/server/mcp/warnings.ts";
import { createLog, type Log, type LogOptions } from "../../src/server/operations/log.ts";
import { createFaultLog, createRunLog, type RunLog } from "../../src/server/operations/log-runs.ts";
import { readExpose, readMode, toFlags, toOptionText, type Values } from "../read-options.ts";
import type { Action } from "./command.ts";

/** Limits the sending of the last spans over stdio, in milliseconds. */
const telemetryMs = 500;

/**
 * Limits how long the end over HTTP may take in milliseconds, behind the grace time of the runs, and how long the closing of all that is open
 * after it. Each step has a limit of its own; this is for what waits for somebody who never answers, such as a database that hangs.
 */
const endingMs = 20_000;
const closingMs = 5_000;

/** Serves MCP over stdio until the client leaves, or over HTTP until a signal ends the process. */
export function startServer(values: Values): Action {
  const exposed = readExpose(values);
  const flags = toFlags(values);
  const address = toOptionText(values.http);
  const runServer: Action = async ({ console: { stdin, stdout, stderr }, signal: stop, hurry, deadline }) => {
    const serverModule =
      address === undefined
        ? import("../../src/server/mcp/serve-stdio.ts")
        : import("../../src/server/http/serve-duet.ts");
    const write = (line: string): void => void stderr.write(`${line}\n`);
    // The configuration says how lines are written; until that is read, they are for people.
    const warnings = createWarnings({ keeps: address === undefined });
    let log = warnings.follow(createLog({ format: "text", write }));
    const console: Console = { stdin, stdout, stderr, writeLine: (line) => log(line, "warn") };
    let written: Promise<void> | undefined;
    const serveWith = async (opened: DuetContext): Promise<number> => {
      const { duet, config, signal } = opened;
      const server = await serverModule;
      const logging = { hide: createSecretMask(config), send: duet.logs.isWanted ? duet.logs.send : undefined };
      log = warnings.follow(createLog({ ...logging, format: config.serve.log, write }), logging.hide);
      const runLog = chooseRunLog(config, log, logging);
      const options = {
        duet,
        log,
        warnings,
        signal,
        mode: readMode(values),
        ...createRunLogging(config, log, runLog),
        ...exposed,
      };
      const serveUntilEnd = async (): Promise<void> => {
        if (!("serveOverStdio" in server)) {
          const limitEnd = (): void => deadline?.set(config.serve.http.grace * 1000 + endingMs);
          signal.addEventListener("abort", limitEnd, { once: true });
          await server.serveDuetOverHttp({ ...options, config, hurry, address: address ?? "" });
          deadline?.set(closingMs);
          return;
        }
        const { serve: settings, tools } = config;
        const streams = { stdin, stdout, stderr };
        const stdio = { ...options, ...streams, settings, asks: tools.ask, deadline };
        ({ written } = await server.serveOverStdio(stdio));
      };
      if (address === undefined && stdin.isTTY) log(say(config.locale, atTerminal));
      void reportFailedServers(opened);
      const onServers = (): void => void reportFailedServers(opened);
      await followConfig({ ...opened, flags, onServers }, serveUntilEnd);
      return 0;
    };
    const stopLooking = collectGarbageEarlier();
    const code = await withDuet(flags, { console, signal: stop, deadline }, serveWith, {
      telemetryMs: address === undefined ? telemetryMs : undefined,
      whenAway: "wait",
      servesOthers: address !== undefined,
      passesOn: exposed.expose === "tools" || exposed.expose === "both",
    }).finally(stopLooking);
    // Answers go on being read while servers end.
    await written;
    return code;
  };
  return Object.assign(runServer, { endsBySignal: true, hasOwnGrace: address !== undefined });
}

function createSecretMask(config: Config): (text: string) => string {
  const secrets = listSecrets(config);
  return (text) => hideSecrets(text, secrets);
}

/**
 * Chooses what is logged of runs. Failures are always logged, because whoever reads the log wants to know what went wrong;
 * thoughts and whole results are logged only where they are wanted.
 */
function createRunLogging({ agent, locale }: Config, log: Log, runLog: RunLog | undefined) {
  const logFault = createFaultLog(log, locale);
  return {
    logSteps: agent.verbose ? (line: string) => log(line, "debug") : undefined,
    onBegin: runLog?.followRun,
    onFault: logFault,
    onEnd(run: RunHandle) {
      logFault(run);
      runLog?.logEnd(run);
    },
  };
}

/** Chooses where each run is logged: in the lines that programs read, else only where the log is sent, if it is. */
function chooseRunLog(
  { serve, locale }: Config,
  log: Log,
  { send, hide }: Pick<LogOptions, "send" | "hide">,
): RunLog | undefined {
  if (serve.log === "json") return createRunLog(log, locale);
  return send && createRunLog(createLog({ format: "json", write() {}, hide, send }), locale);
}

/** This text is shown at a terminal, where a server started by hand would look as if it hung. */
const atTerminal = {
  zh: "这是供 MCP 宿主使用的服务器，在标准输入上等待 JSON-RPC 消息；duet install 把它写进宿主，duet 打开对话，Ctrl-C 结束。",
  en: "This is a server for MCP hosts; it waits for JSON-RPC on stdin. duet install adds it to a host, duet alone opens a chat, Ctrl-C stops it.",
};

/**
 * Reports, a line each, which servers cannot be used, as soon as one has been tried: where nobody reads answers, nobody else would hear
 * of it. Ends with the signal; never rejects.
 */
async function reportFailedServers({ duet, config, console, signal }: DuetContext): Promise<void> {
  const warn = createWarn(config, console);
  const report = ({ error }: ServerStatus): void => {
    if (error !== null && !signal.aborted) warn(error.text);
  };
  await ignoreRejection(
    duet.servers.waitForStatus(signal, report),
    "the signal has ended it, or whoever wants the tools is told",
  );
}
