import { createInterface } from "node:readline";
import { forgetSignIn, openInBrowser, signIn } from "../app/sign-in.ts";
import type { Config } from "../config/config.ts";
import { say, type Text } from "../kit/locale.ts";
import { sanitize, sanitizeLine } from "../kit/text/sanitize.ts";
import type { Console } from "./console.ts";
import { takeLines } from "./questions/reader.ts";

export interface LoginCommand {
  config: Config;
  server: string;
  console: Console;
  signal: AbortSignal;
}

/** Signs in to a server in the user's browser, and reports the outcome in a line on stdout. */
export async function runLogin({ config, server, console, signal }: LoginCommand): Promise<number> {
  const writeText = (text: Text): void => void console.stderr.write(`${sanitize(say(config.locale, text))}\n`);
  // The terminal itself edits the line, so that its Ctrl-C interrupts the program.
  const input = createInterface({ input: console.stdin, terminal: false });
  const lines = takeLines(input);
  try {
    const { toolCount, hasSignedIn } = await signIn(config, server, {
      visit(url) {
        writeText(describeAddress(server, url));
        void openInBrowser(url);
      },
      paste: () => lines.next(),
      misread: () => writeText(misread),
      signal,
    });
    const done = hasSignedIn ? describeSignedIn(server, toolCount) : describeNotNeeded(server, toolCount);
    console.stdout.write(`${sanitizeLine(say(config.locale, done))}\n`);
    return 0;
  } finally {
    input.close();
  }
}

/** Forgets the sign-in to a server. */
export async function runLogout({ config, server, console }: Omit<LoginCommand, "signal">): Promise<number> {
  const isForgotten = await forgetSignIn(config, server);
  const text: Text = isForgotten
    ? { zh: `已删除 ${server} 的登录信息`, en: `The sign-in to ${server} was deleted` }
    : { zh: `没有 ${server} 的登录信息`, en: `There is no sign-in to ${server}` };
  console.stdout.write(`${sanitizeLine(say(config.locale, text))}\n`);
  return 0;
}

function describeAddress(server: string, { href }: URL): Text {
  return {
    zh: `请在浏览器中登录 ${server}：\n\n  ${href}\n\n如果浏览器在另一台机器上，请把登录后跳转到的地址（127.0.0.1 开头）粘贴到这里。`,
    en: `Sign in to ${server} in your browser:\n\n  ${href}\n\nIf the browser is on another machine, paste the address it ends at (starting with 127.0.0.1) here.`,
  };
}

const misread: Text = {
  zh: "这不是本次登录的跳转地址；请粘贴浏览器最后停在的完整地址。",
  en: "This is not the redirect address of this sign-in; paste the full address at which the browser stopped.",
};

function describeSignedIn(server: string, count: number): Text {
  return {
    zh: `已登录 ${server}：${count} 个工具`,
    en: `Signed in to ${server}: ${count} ${count === 1 ? "tool" : "tools"}`,
  };
}

function describeNotNeeded(server: string, count: number): Text {
  return {
    zh: `${server} 不需要重新登录：${count} 个工具`,
    en: `${server} needs no new sign-in: ${count} ${count === 1 ? "tool" : "tools"}`,
  };
}
