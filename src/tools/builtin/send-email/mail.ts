import { domainToASCII } from "node:url";
import { toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../../core/tools/tool.ts";
import { isMatch } from "../../../kit/text/match-pattern.ts";

interface MailAddress {
  /** Is the display name and may be empty. */
  name: string;
  /** Has the form `local@domain`, with the domain in ASCII. */
  address: string;
}

/** Limits a name and an address together, in characters. */
const longest = 500;

/**
 * Parses one address, alone or as `Name <address>`. Returns undefined for anything that a mail server could read as more than
 * that: several addresses, a group, a line break, a quoted or routed local part (`a%b@c`), or dots that would need quotes
 * (`a..b@c`).
 */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (text.length > longest || /[\p{Cc}\u2028\u2029]/u.test(text)) return undefined;
  const [, quoted, plain, inner] = /^\s*(?:"([^"\\]*)"|([^"<>,;:@]*))\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  const [, local, host] = /^([\w.#$&'*+/=?^`{|}~-]{1,64})@([^\s@]{1,253})$/.exec((inner ?? text).trim()) ?? [];
  if (local === undefined || host === undefined || /^\.|\.\.|\.$/.test(local)) return undefined;
  const domain = domainToASCII(host);
  if (!/^([a-z\d]([a-z\d-]*[a-z\d])?\.)*[a-z\d]([a-z\d-]*[a-z\d])?$/.test(domain)) return undefined;
  return { name: (quoted ?? plain ?? "").trim(), address: `${local}@${domain}` };
}

/** Finds problems in a list of recipients: invalid addresses, and addresses that the configuration does not allow. */
export function findRecipientProblems(
  path: string,
  texts: readonly string[],
  allowed: readonly string[],
): ArgumentProblem[] {
  return texts.flatMap((text, index): ArgumentProblem[] => {
    const place = `${path}[${index}]`;
    const read = parseMailAddress(text);
    if (read === undefined) {
      const zh = "必须是一个邮箱地址，如 li@example.com 或 李雷 <li@example.com>";
      return [
        toValueProblem(place, text, zh, "must be one address, such as li@example.com or Li Lei <li@example.com>"),
      ];
    }
    const address = read.address.toLowerCase();
    if (allowed.some((pattern) => isMatch(address, pattern.toLowerCase()))) return [];
    const list = allowed.join(", ");
    return [toValueProblem(place, text, `配置只允许发给 ${list}`, `may only be one of ${list}, by the configuration`)];
  });
}

export interface MailServer {
  host: string;
  port: number;
  /**
   * Uses TLS from the first byte. When it is false, the connection switches to TLS before any mail data is sent, unless the host
   * is this machine.
   */
  secure: boolean;
  user?: string | undefined;
  password?: string | undefined;
  /** Has the form `Name <address>`, or is only an address. */
  from: string;
}

export interface Mail {
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  subject: string;
  text: string;
}

export interface MailTimes {
  /** Limits the time until the server's greeting; `silenceMs` limits the time between two replies. Both are in milliseconds. */
  connectMs: number;
  silenceMs: number;
  totalMs: number;
}
