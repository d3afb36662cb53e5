import type { ServerSettings } from "../config/config.ts";
import type { Environment } from "../kit/process/child-environment.ts";
import { createRedactor, listForms, type Redact, type Redactor, type Secret } from "../kit/text/redact.ts";

/** Shorter values are too common in ordinary text to be replaced. */
const shortest = 6;

// Settings that are no secrets and whose values are ordinary words or paths, such as NODE_ENV=production.
const harmlessVariable =
  /(^|_)(PATH|DIR|DIRECTORY|FOLDER|FILE|HOME|HOST|PORT|LEVEL|MODE|ENV|LANG|LANGUAGE|LOCALE|TZ|REGION|FORMAT|DEBUG|TIMEOUT|MODEL|VERSION)$|^LC_/i;
const harmlessHeader = /^(accept.*|content-.*|user-agent|origin|referer|host|cache-control|mcp-.*)$/i;
export const secretWord = /key|token|secret|pass|auth|sig|cred|^ak$|^sk$|^code$|^pat$/i;

/** Learns the secrets that the configuration of a server holds, and those that it inherits from our environment. */
export function createServerRedact(settings: Pick<ServerSettings, "transport">, environment: Environment = {}): Redact {
  return createServersRedactor([settings], environment).redact;
}

/** Does the same for all of them, and for texts that come in pieces, too. */
export function createServersRedactor(
  servers: readonly Pick<ServerSettings, "transport">[],
  environment: Environment,
): Redactor {
  return createRedactor(servers.flatMap((settings) => listServerSecrets(settings, environment)));
}

/** Extends a redactor by secrets that change, such as the tokens of a sign-in. */
export function extendRedact(redact: Redact, secrets: () => readonly string[]): Redact {
  const known = new Map<string, Set<string>>();
  return (text) => {
    let cleaned = redact(text);
    for (const value of secrets().filter(({ length }) => length >= shortest)) {
      const forms = known.get(value) ?? listForms(value);
      known.set(value, forms);
      for (const form of forms) {
        if (cleaned.includes(form)) cleaned = cleaned.replaceAll(form, () => "[redacted TOKEN]");
      }
    }
    return cleaned;
  };
}

/** Lists what a server gets and must not send back. */
export function listServerSecrets(
  { transport }: Pick<ServerSettings, "transport">,
  environment: Environment,
): Secret[] {
  if (transport.type !== "stdio")
    return [...listHeaderSecrets(transport.headers), ...listUrlSecrets("URL", transport.url)];
  const inherited = transport.inheritEnv.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return [
    ...listEnvironmentSecrets({ ...transport.networkEnv, ...Object.fromEntries(inherited), ...transport.env }),
    ...listArgumentSecrets(transport.args),
  ];
}

function listEnvironmentSecrets(env: Record<string, string>): Secret[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (harmlessVariable.test(name)) return [];
    if (URL.canParse(value) && value.includes("://")) return listUrlSecrets(name, value);
    return [{ name, value }];
  });
}

function listArgumentSecrets(args: string[]): Secret[] {
  return args.flatMap((arg, index) => {
    if (URL.canParse(arg) && arg.includes("://")) return listUrlSecrets("URL", arg);
    const [, flag, inline] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (flag === undefined || !secretWord.test(flag)) return [];
    const value = inline ?? args[index + 1];
    return value === undefined ? [] : [{ name: flag, value }];
  });
}

function listHeaderSecrets(headers: Record<string, string>): Secret[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (harmlessHeader.test(name)) return [];
    const [, credentials] = /^\w+\s+(.+)$/s.exec(value.trim()) ?? [];
    return [{ name, value }, ...(credentials === undefined ? [] : [{ name, value: credentials }])];
  });
}

/** Finds secrets in a URL: a password, a secret parameter, or a path segment that is a token. */
function listUrlSecrets(name: string, text: string): Secret[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const secrets = [{ name, value: decodeText(url.password) }];
  for (const [parameter, value] of url.searchParams) {
    if (secretWord.test(parameter)) secrets.push({ name: parameter, value });
  }
  for (const segment of url.pathname.split("/")) {
    if (segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment)) {
      secrets.push({ name, value: decodeText(segment) });
    }
  }
  return secrets;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
