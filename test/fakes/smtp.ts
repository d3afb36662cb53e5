import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface SmtpOptions {
  /** Who may log in; without it nobody has to. */
  login?: { user: string; password: string };
  /** A reply in place of `250` to a recipient. */
  refuse?: (address: string) => string | undefined;
  /** A reply in place of `250` to the sender. */
  refuseSender?: string;
  /** A reply in place of `250` to the message. */
  refuseMessage?: string;
  /** Where it goes silent or hangs up: before the greeting, at a command, or after the message. */
  fault?: { at: "connect" | "MAIL" | "DATA" | "message"; by: "silence" | "hang-up" };
}

export interface ReceivedMail {
  from: string;
  to: string[];
  data: string;
}

export interface FakeSmtp extends AsyncDisposable {
  port: number;
  /** What it took, whether or not it said so. */
  mails: ReceivedMail[];
  /** Every line that came outside of a message. */
  commands: string[];
  /** Resolves when the connection that came first is closed. */
  firstClosed: Promise<unknown>;
  /** Resolves when the fault's place is reached. */
  atFault: Promise<void>;
}

/** A mail server on a socket that insists on the order of commands (RFC 5321) and speaks AUTH PLAIN and LOGIN; no TLS. */
export async function startFakeSmtp(options: SmtpOptions = {}): Promise<FakeSmtp> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const first = Promise.withResolvers<unknown>();
  const fault = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      first.resolve(undefined);
    });
    serve(socket, { ...options, mails, commands, reached: () => fault.resolve() });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    commands,
    firstClosed: first.promise,
    atFault: fault.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Session extends SmtpOptions {
  mails: ReceivedMail[];
  commands: string[];
  reached(): void;
}

function serve(socket: Socket, { login, refuse, refuseSender, refuseMessage, fault, ...session }: Session): void {
  let greeted = false;
  let loggedIn = login === undefined;
  let mail: ReceivedMail | undefined;
  let inMessage = false;
  /** What takes the answer to a challenge. */
  let challenge: ((line: string) => string) | undefined;
  let pending = "";

  const fails = (at: string): boolean => {
    if (fault?.at !== at) return false;
    session.reached();
    if (fault.by === "hang-up") socket.destroy();
    return true;
  };

  function enter(user: string, password: string): string {
    loggedIn = user === login?.user && password === login.password;
    return loggedIn ? "235 welcome" : `535 5.7.8 wrong password ${password} for ${user}`;
  }

  function authenticate(method: string, initial: string | undefined): string {
    if (method === "PLAIN" && initial !== undefined) {
      const [, user = "", password = ""] = decode(initial).split("\0");
      return enter(user, password);
    }
    if (method !== "LOGIN") return "504 not that way";
    challenge = (user) => {
      challenge = (password) => enter(user, password);
      return `334 ${encode("Password:")}`;
    };
    return `334 ${encode("Username:")}`;
  }

  /** The reply to a line; undefined where there is none. */
  function take(line: string): string | undefined {
    if (challenge) {
      const answer = challenge;
      challenge = undefined;
      return answer(decode(line));
    }
    session.commands.push(line);
    const [verb = "", first = "", second] = line.split(" ");
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    if (fails(verb)) return undefined;
    if (verb === "EHLO") {
      greeted = true;
      return login ? "250-fake\r\n250 AUTH PLAIN LOGIN" : "250 fake";
    }
    if (verb === "QUIT") return "221 bye";
    if (!greeted) return "503 say EHLO first";
    if (verb === "AUTH") return authenticate(first, second);
    if (verb === "MAIL" && !loggedIn) return "530 log in first";
    if (verb === "MAIL" && refuseSender) return refuseSender;
    if (verb === "MAIL" && mail === undefined) {
      mail = { from: address, to: [], data: "" };
      return "250 go on";
    }
    if (verb === "RCPT" && mail) {
      const refusal = refuse?.(address);
      if (refusal === undefined) mail.to.push(address);
      return refusal ?? "250 go on";
    }
    if (verb !== "DATA" || !mail || mail.to.length === 0) return "503 not now";
    inMessage = true;
    return "354 go on";
  }

  function finish(data: string): string | undefined {
    inMessage = false;
    if (refuseMessage) return refuseMessage;
    if (mail) session.mails.push({ ...mail, data: data.replace(/^\.\./gm, ".") });
    mail = undefined;
    return fails("message") ? undefined : "250 taken as 4711";
  }

  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    pending += chunk;
    for (;;) {
      const last = inMessage ? "\r\n.\r\n" : "\r\n";
      const end = pending.indexOf(last);
      if (end < 0) return;
      const whole = pending.slice(0, end);
      pending = pending.slice(end + last.length);
      const reply = inMessage ? finish(whole) : take(whole);
      if (reply !== undefined) socket.write(`${reply}\r\n`);
      if (reply?.startsWith("221")) socket.end();
    }
  });
  if (!fails("connect")) socket.write("220 fake ready\r\n");
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString();
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
