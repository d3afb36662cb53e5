import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { builtinTools } from "../../../../src/tools/builtin/builtin-tools.ts";
import { parseMailAddress } from "../../../../src/tools/builtin/send-email/mail.ts";
import { createSendEmail, type EmailOptions } from "../../../../src/tools/builtin/send-email/send-email.ts";
import { createPermissionCheck, withPermission } from "../../../../src/tools/permission-rules.ts";
import { withValidation } from "../../../../src/tools/schema/with-validation.ts";
import { type FakeSmtp, startFakeSmtp } from "../../../fakes/smtp.ts";
import { testContext } from "../../context.ts";

const password = "sk-CANARY-mail-0001";
const login = { user: "duet", password };
const mail = { to: ["li@example.com"], subject: "Hello", text: "Line one\n.\nLine two" };

function options({ port }: { port: number }, changes: Partial<EmailOptions> = {}): EmailOptions {
  return { host: "127.0.0.1", port, secure: false, from: "Duet <duet@example.com>", recipients: ["*"], ...changes };
}

function tool(smtp: { port: number }, changes?: Partial<EmailOptions>, silenceMs = 5000) {
  return withValidation(createSendEmail(options(smtp, changes), "en", { connectMs: silenceMs, silenceMs }));
}

const send = (smtp: FakeSmtp, args: JsonObject = {}, changes?: Partial<EmailOptions>, silenceMs?: number) =>
  tool(smtp, changes, silenceMs).run({ ...mail, ...args }, testContext());

test("a mail reaches everybody it is for, and says who and under which id", async () => {
  await using smtp = await startFakeSmtp({ login });
  const args = {
    to: ["李雷 <li@Example.com>"],
    cc: ["han@example.com"],
    bcc: ["quiet@example.com"],
    subject: "会议纪要",
  };
  const result = await send(smtp, args, login);
  expect(result).toMatchObject({ ok: true });
  expect(result.text).toMatch(
    /^Sent to li@example\.com, han@example\.com, quiet@example\.com\nMessage id <[^>]+@example\.com>$/,
  );
  const [received] = smtp.mails;
  expect(smtp.mails).toHaveLength(1);
  expect(received).toMatchObject({
    from: "duet@example.com",
    to: ["li@example.com", "han@example.com", "quiet@example.com"],
  });
  expect(received?.data).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(received?.data).toContain("\r\n\r\nLine one\r\n.\r\nLine two");
  expect(received?.data).not.toContain("quiet@");
});

test("nothing is sent to an address that the configuration does not allow", async () => {
  await using smtp = await startFakeSmtp();
  const recipients = ["*@example.com", "boss@other.org"];
  const args = { to: ["BOSS@Other.org", "x@example.com"], cc: ["x@example.com.evil.org"], bcc: ["x@evil.org"] };
  const result = await send(smtp, args, { recipients });
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  expect(result.text).toContain("- cc[0]: may only be one of *@example.com, boss@other.org");
  expect(result.text).toContain("- bcc[0]: ");
  expect(result.text).not.toContain("- to[");
  expect(smtp.commands).toEqual([]);
  expect(await send(smtp, { ...args, cc: [], bcc: [] }, { recipients })).toMatchObject({ ok: true });
});

test.each([
  ["a line break", "a@example.com\r\nBcc: b@example.com"],
  ["a line break in the name", "A\nBcc: b@example.com <a@example.com>"],
  ["two addresses", "a@example.com, b@example.com"],
  ["two addresses in brackets", "<a@example.com> <b@example.com>"],
  ["a group", "all: a@example.com, b@example.com;"],
  ["a quoted local part", '"a@evil.org"@example.com'],
  ["a routed address", "a%evil.org@example.com"],
  ["a banged address", "evil.org!a@example.com"],
  ["a source route", "<@evil.org:a@example.com>"],
  ["two at signs", "a@evil.org@example.com"],
  ["two dots in a row", "a..b@example.com"],
  ["a dot at the start", ".a@example.com"],
  ["a dot at the end of the local part", "a.@example.com"],
  ["no domain", "a@"],
  ["no address", "somebody"],
  ["nothing", ""],
  ["a blank within", "a b@example.com"],
  ["a comment", "a@example.com (evil)"],
  ["a name without end", " ".repeat(200_000)],
])("%s is no recipient", async (_, address) => {
  expect(parseMailAddress(address)).toBeUndefined();
  await using smtp = await startFakeSmtp();
  const result = await send(smtp, { to: [address] });
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  expect(result.text).toContain("- to[0]: must be one address");
  expect(smtp.commands).toEqual([]);
});

test.each([
  ["li@example.com", "", "li@example.com"],
  [" <li@example.com> ", "", "li@example.com"],
  ["Li Lei <li+x@EXAMPLE.com>", "Li Lei", "li+x@example.com"],
  ['"Lei, Li" <li@example.com>', "Lei, Li", "li@example.com"],
  ["李雷 <li@例子.公司>", "李雷", "li@xn--fsqu00a.xn--55qx5d"],
  ["root@localhost", "", "root@localhost"],
])("%s is one", (text, name, address) => expect(parseMailAddress(text)).toEqual({ name, address }));

test("a subject of two lines is refused", async () => {
  await using smtp = await startFakeSmtp();
  const result = await send(smtp, { subject: "Hi\r\nBcc: b@example.com" });
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  expect(result.text).toContain("- subject: must be one line of text");
  expect(smtp.commands).toEqual([]);
});

test("every mail needs consent, whatever the rules say, and a wrong one is not asked about", async () => {
  await using smtp = await startFakeSmtp();
  const asked: unknown[] = [];
  const guarded = withPermission(tool(smtp), createPermissionCheck({ allow: ["*"] }));
  expect(builtinTools.send_email?.annotations).toMatchObject({ readOnly: false, destructive: true, openWorld: true });
  const answering = (answer: "once" | "no") => ({
    ...testContext(),
    approve: async (request: unknown) => {
      asked.push(request);
      return answer;
    },
  });
  expect(await guarded.run(mail, testContext())).toMatchObject({ ok: false, error: { code: "denied" } });
  expect(await guarded.run(mail, answering("no"))).toMatchObject({ ok: false, error: { code: "denied" } });
  expect(smtp.commands).toEqual([]);
  expect(await guarded.run({ ...mail, to: ["nobody"] }, answering("once"))).toMatchObject({
    error: { code: "invalid_arguments" },
  });
  expect(asked).toHaveLength(1);
  expect(await guarded.run(mail, answering("once"))).toMatchObject({ ok: true });
  expect(asked).toMatchObject([{}, { tool: "send_email", onlyOnce: true }]);
  expect(smtp.mails).toHaveLength(1);
});

test("without TLS no password goes to another machine", async () => {
  await using smtp = await startFakeSmtp({ login });
  // Another machine by its name, this one by its wire.
  const result = await send(smtp, {}, { ...login, host: "::ffff:127.0.0.1" });
  expect(result).toMatchObject({ ok: false, error: { code: "network" } });
  expect(result.text).toMatch(/^No secure connection .* nothing was sent, and no password either\.$/);
  expect(smtp.commands.at(-1)).toBe("STARTTLS");
  expect(smtp.commands.join("\n")).not.toMatch(/AUTH|MAIL/);
});

test("a wrong password is an error of the login, which does not show it", async () => {
  await using smtp = await startFakeSmtp({ login: { ...login, password: "other" } });
  const result = await send(smtp, {}, login);
  expect(result).toMatchObject({ ok: false, error: { code: "auth" } });
  expect(result.text).toMatch(/refused the login \(535 5\.7\.8 wrong password \*\*\* for duet\); nothing was sent/);
  expect(JSON.stringify(result)).not.toContain(password);
  expect(smtp.mails).toEqual([]);
});

test("recipients that the server refuses are named", async () => {
  const refuse = (address: string) => (address.startsWith("bad") ? "550 5.1.1 no such user" : undefined);
  await using smtp = await startFakeSmtp({ refuse });
  const some = await send(smtp, { to: ["li@example.com", "bad@example.com"] });
  expect(some).toMatchObject({ ok: true });
  expect(some.text).toMatch(/^Sent to li@example\.com\nRefused by the server: bad@example\.com\n/);
  const all = await send(smtp, { to: ["bad@example.com"] });
  expect(all).toMatchObject({ ok: false, error: { code: "tool" } });
  expect(all.text).toContain("refused every recipient, bad@example.com (550 5.1.1 no such user); nothing was sent");
  expect(smtp.mails).toHaveLength(1);
});

test("a message or a sender that the server refuses was not sent", async () => {
  await using picky = await startFakeSmtp({ refuseMessage: "554 5.7.1 spam" });
  expect((await send(picky)).text).toBe("The mail server refused the message (554 5.7.1 spam); nothing was sent.");
  await using closed = await startFakeSmtp({ refuseSender: "553 not yours" });
  expect((await send(closed)).text).toContain("refused the sender Duet <duet@example.com> (553 not yours)");
});

test.each(["silence", "hang-up"] as const)(
  "%s after the message is an outcome that nobody knows, and nothing is repeated",
  async (by) => {
    await using smtp = await startFakeSmtp({ fault: { at: "message", by } });
    const result = await send(smtp, {}, {}, 300);
    expect(result).toMatchObject({ ok: false, error: { code: "timeout" } });
    expect(result.text).toContain("it may have been sent, or not. Do not send it again");
    await smtp.firstClosed;
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.commands.filter((line) => line.startsWith("EHLO"))).toHaveLength(1);
  },
);

test.each(["connect", "MAIL", "DATA"] as const)("a server that goes silent at %s was sent nothing", async (at) => {
  await using smtp = await startFakeSmtp({ fault: { at, by: "silence" } });
  const result = await send(smtp, {}, {}, 300);
  expect(result).toMatchObject({ ok: false, error: { code: "timeout" } });
  expect(result.text).toMatch(/did not answer in time; nothing was sent\.$/);
  await smtp.firstClosed;
  expect(smtp.mails).toEqual([]);
});

test("a server that hangs up or is not there is an error of the network", async () => {
  const gone = await startFakeSmtp({ fault: { at: "MAIL", by: "hang-up" } });
  expect(await send(gone)).toMatchObject({ ok: false, error: { code: "network" } });
  await gone[Symbol.asyncDispose]();
  const result = await send(gone);
  expect(result).toMatchObject({ ok: false, error: { code: "network" } });
  expect(result.text).toMatch(
    /^No connection to the mail server 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\); nothing was sent\.$/,
  );
});

test("a cancel closes the connection", async () => {
  await using smtp = await startFakeSmtp({ fault: { at: "DATA", by: "silence" } });
  const stop = new AbortController();
  const sending = tool(smtp).run(mail, testContext({ signal: stop.signal }));
  await smtp.atFault;
  stop.abort(new Error("enough"));
  await expect(sending).rejects.toThrow("enough");
  await smtp.firstClosed;
  expect(smtp.mails).toEqual([]);
});

test("errors are in the reader's language", async () => {
  await using smtp = await startFakeSmtp({ fault: { at: "message", by: "hang-up" } });
  const chinese = createSendEmail(options(smtp), "zh");
  expect((await chinese.run(mail, testContext({ locale: "zh" }))).text).toMatch(/可能已经发出，也可能没有。不要重发/);
});
