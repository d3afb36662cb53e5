import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ConversationEntryJson } from "../../../src/core/schemas/conversation-schema.ts";
import type { ConversationJson } from "../../../src/core/store/conversations/conversation-json.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { loadExported } from "../../../src/render/export/exported-conversation.ts";
import { waitForEnd } from "../../../src/runs/live/wait-until.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { images } from "../../fakes/images.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { finishedRun } from "../../store/runs.ts";
import { serveCallers } from "./api-for-callers.ts";
import { outcomeIn, problemIn, readEvents, type ServedApi, serveApi } from "./served-api.ts";

const json = async (response: Promise<Response>) => JSON.parse(await (await response).text());

const patch = (api: ServedApi, id: string, body: object, as?: string) =>
  api.send(`/agent/conversations/${id}`, { json: body, method: "PATCH", as });

async function read(api: ServedApi, id: string, query = ""): Promise<ConversationJson> {
  return json(api.send(`/agent/conversations/${id}${query}`));
}

async function list(api: ServedApi, query = ""): Promise<ConversationEntryJson[]> {
  return (await json(api.send(`/agent/conversations?${query}`))).conversations;
}

const asked = ({ turns }: ConversationJson) => turns.map(({ question }) => question);

test("a question that is edited stands beside the first one, and models read nothing of the other branch", async () => {
  const api = await serveApi({ turns: ["One.", "Two.", "Three.", "Two, again."] });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "First?", parent: 0 }));
  await api.chat({ message: "Second?", conversation_id: id, parent: 1 });
  await api.chat({ message: "Second, edited?", conversation_id: id, parent: 1 });
  expect(JSON.stringify(api.model.requests[2]?.messages)).not.toContain("Second?");
  expect(JSON.stringify(api.model.requests[2]?.messages)).toContain("One.");
  const edited = await read(api, id);
  expect([edited.branch, asked(edited)]).toEqual([2, ["First?", "Second, edited?"]]);
  expect(edited.tree?.map(({ n, parent }) => [n, parent])).toEqual([
    [1, 0],
    [2, 1],
    [3, 1],
  ]);
  expect(edited.turns[1]).toMatchObject({ n: 3, parent: 1, run_id: edited.tree?.[2]?.run_id, answer: "Three." });
  expect(asked(await read(api, id, "?branch=1"))).toEqual(["First?", "Second?"]);
  // Another browser, and another process, find the branch that somebody has chosen.
  expect(await json(patch(api, id, { branch: 1 }))).toMatchObject({ conversation_id: id, turns: 2 });
  const later = await api.restart();
  expect(asked(await read(later, id))).toEqual(["First?", "Second?"]);
  // Another answer to the same question.
  await later.chat({ message: "Second?", conversation_id: id, parent: 1 });
  expect((await read(api, id)).turns.map(({ answer }) => answer)).toEqual(["One.", "Two, again."]);
});

test("two who ask behind the same turn at once both get their answers, on two branches", async () => {
  const own = scriptedModel(["One.", "A.", "B."]);
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const model: typeof own = {
    ...own,
    async stream(request, ...others) {
      begun += 1;
      if (begun === 3) both.resolve();
      // Neither gets an answer before both have asked.
      if (begun > 1) await both.promise;
      return own.stream(request, ...others);
    },
  };
  const api = await serveApi({ models: { functionCall: model, answer: model } });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "First?" }));
  await Promise.all(["This?", "That?"].map((message) => api.chat({ message, conversation_id: id, parent: 1 })));
  const { branches = [] } = await read(api, id);
  const all = await Promise.all(branches.map(async ({ branch }) => asked(await read(api, id, `?branch=${branch}`))));
  expect(all.map((questions) => questions[1]).sort()).toEqual(["That?", "This?"]);
});

test("a turn, a branch or a conversation that is not there is refused before anything is asked", async () => {
  const api = await serveApi({ turns: ["One."] });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "First?" }));
  const refused = [
    await api.chat({ message: "x", conversation_id: id, parent: 2 }),
    await api.chat({ message: "x", conversation_id: id, files_of: 9 }),
    await api.chat({ message: "x", parent: 1 }),
    await patch(api, id, { branch: 2 }),
    await patch(api, id, { title: "x".repeat(201) }),
    await api.send(`/agent/conversations/${id}?branch=2`),
    await api.send("/agent/conversations?q=%20"),
    await api.send("/agent/conversations?pinned=1"),
    await api.send(`/agent/conversations/${id}/export?format=pdf`),
  ];
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
  const hidden = [
    await api.chat({ message: "x", conversation_id: id, parent: 1 }, { as: "anna" }),
    await patch(api, id, { pinned: true }, "anna"),
    await api.send(`/agent/conversations/${id}/export`, { as: "anna" }),
    await api.send(`/agent/conversations/${id}?undo=true`, { method: "DELETE", as: "anna" }),
    await api.send(`/agent/conversations/${id}/queue`, { json: { message: "x" }, as: "anna" }),
    await api.send(`/agent/runs/${(await read(api, id)).turns[0]?.run_id}/feedback`, {
      json: { rating: "up" },
      as: "anna",
    }),
  ];
  expect(hidden.map(({ status }) => status)).toEqual(hidden.map(() => 404));
  expect((await problemIn(refused[0] ?? Response.error())).detail).toBe(
    "parent: this conversation has no turn 2 (allowed: at most 1)",
  );
  expect(api.model.requests).toHaveLength(1);
});

test("an export has a name in its header where its title is cut within a character", async () => {
  const api = await serveApi({ turns: ["A text."] });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "What is this?", mode: "chat" }));
  await patch(api, id, { title: `${"a".repeat(59)}𠀀b` });
  const exported = await api.send(`/agent/conversations/${id}/export`);
  expect([exported.status, exported.headers.get("content-disposition")]).toEqual([
    200,
    expect.stringContaining(`filename="${"a".repeat(59)}.md"`),
  ]);
});

test("a name becomes one line that is safe to show", async () => {
  const api = await serveApi({ turns: ["A text."] });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "What is this?", mode: "chat" }));
  const named = ["two\nlines\tof\u2028text ", "a\u202eb", "👩‍💻"].map((title) => json(patch(api, id, { title })));
  expect(await Promise.all(named)).toMatchObject([
    { title: "two lines of text" },
    { title: "a\\u{202e}b" },
    { title: "👩‍💻" },
  ]);
});

test("a conversation is named, pinned, searched, deleted, brought back and rated, and its export has all branches", async () => {
  const call = { id: "1", name: "calculator", input: { expression: "6*7" } };
  const api = await serveApi({ turns: [[call], "Forty-two.", "Forty-three."] });
  const { conversation_id: id, run_id } = await outcomeIn(api.chat({ message: "How much is it?" }));
  await api.chat({ message: "How much, really?", conversation_id: id, parent: 0, mode: "chat" });
  expect(await json(patch(api, id, { title: " Sums ", pinned: true }))).toMatchObject({
    title: "Sums",
    pinned: true,
    named_by_person: true,
  });
  const models = { function_call: "fake/scripted", answer: "fake/scripted" };
  expect(await list(api, "q=FORTY-TWO&pinned=true")).toMatchObject([
    { title: "Sums", running: false, mode: "chat", models, match: { field: "answer", turn: 1, start: 0, end: 9 } },
  ]);
  expect(await list(api, "q=forty-four")).toEqual([]);
  expect((await api.send(`/agent/runs/${run_id}/feedback`, { json: { rating: "down", comment: "No." } })).status).toBe(
    204,
  );
  expect((await read(api, id, "?branch=1")).turns[0]?.feedback).toMatchObject({ rating: "down", comment: "No." });
  const markdown = await api.send(`/agent/conversations/${id}/export`);
  expect(markdown.headers.get("content-disposition")).toBe(`attachment; filename="Sums.md"; filename*=UTF-8''Sums.md`);
  expect(await markdown.text()).toMatch(
    /# Sums[\s\S]*> How much is it\?[\s\S]*calculator[\s\S]*Forty-two\.[\s\S]*\*On another branch, from the beginning\*[\s\S]*Forty-three\./,
  );
  expect(await json(api.send(`/agent/conversations/${id}/export?format=json`))).toMatchObject({
    turns: [
      { n: 1, parent: 0, run_id, feedback: { rating: "down" } },
      { n: 2, parent: 0, answer: "Forty-three." },
    ],
  });
  const gone = await api.send(`/agent/conversations/${id}?undo=true`, { method: "DELETE" });
  const { restorable_until } = JSON.parse(await gone.text());
  expect([gone.status, Date.parse(restorable_until) > Date.now()]).toEqual([202, true]);
  expect([
    await list(api),
    (await api.send(`/agent/conversations/${id}`)).status,
    (await api.send(`/agent/runs/${run_id}/trace`)).status,
  ]).toEqual([[], 404, 404]);
  const restore = () => api.send(`/agent/conversations/${id}/restore`, { method: "POST" });
  expect([(await restore()).status, (await restore()).status]).toEqual([200, 404]);
  expect(await list(api)).toMatchObject([{ title: "Sums", pinned: true }]);
});

test("an export has the turns whose traces are gone: those of a fork whose original was deleted", async () => {
  const api = await serveApi({ turns: ["One.", "Two.", "Three."] });
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "First?" }));
  await api.chat({ message: "Second?", conversation_id: id });
  const store = await api.service.duet.store({});
  const fork = await store.branches?.fork(id);
  await api.send(`/agent/conversations/${id}`, { method: "DELETE" });
  await api.chat({ message: "Third?", conversation_id: fork });
  const path = `/agent/conversations/${fork}/export`;
  expect(await (await api.send(path)).text()).toMatch(
    /## 1\n\n> First\?\n\nOne\.\n\n## 2\n\n> Second\?\n\nTwo\.\n\n## 3 · .*\n\n> Third\?/,
  );
  const { turns } = await json(api.send(`${path}?format=json`));
  expect(turns.map(({ answer, steps }: Record<string, unknown>) => [answer, Array.isArray(steps)])).toEqual([
    ["One.", true],
    ["Two.", true],
    ["Three.", true],
  ]);
  const exported = await loadExported(store, {
    id: String(fork),
    branch: undefined,
    signal: new AbortController().signal,
  });
  expect(exported?.runs.map(({ final_answer }) => final_answer)).toEqual(["One.", "Two.", "Three."]);
});

test("the result of a call is read in parts", async () => {
  const call = { id: "1", name: "echo", input: { text: `a${"😀".repeat(300)}z` } };
  const api = await serveApi({ turns: [[call], "It says so.", "Hello."] });
  const { run_id } = await outcomeIn(api.chat({ message: "echo" }));
  const part = (query: string) => json(api.send(`/agent/runs/${run_id}/steps/1?${query}`));
  const whole = await part("");
  expect(whole).toMatchObject({ tool: "echo", ok: true, next_offset: null, left_out: 0 });
  const parts: string[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const { text, next_offset, total } = await part(`limit=100&offset=${next}`);
    expect([text.isWellFormed(), total]).toEqual([true, whole.text.length]);
    parts.push(text);
    next = next_offset;
  }
  expect([parts.join(""), parts.length > 5]).toEqual([whole.text, true]);
  for (const path of [`/agent/runs/${run_id}/steps/2`, `/agent/runs/${run_id}/steps/x`, "/agent/runs/run-0/steps/1"])
    expect((await api.send(path)).status).toBe(404);
  expect((await api.send(`/agent/runs/${run_id}/steps/1`, { as: "anna" })).status).toBe(404);
  const without = await outcomeIn(api.chat({ message: "Hello?", mode: "chat" }));
  const { detail } = await json(api.send(`/agent/runs/${without.run_id}/steps/99`));
  expect(detail).toBe("This run has no steps with a call.");
});

test("a run that its asker lets finish goes on when the page closes, and a later page finds it with all its events", async () => {
  const gate = Promise.withResolvers<void>();
  const api = await serveApi({ turns: ["One.", "Two."], gate: gate.promise, times: { comeBack: 0 } });
  const page = await api.stream({ message: "First?", on_disconnect: "finish" });
  const start = await page.until("run-start");
  const other = await api.stream({ message: "Other?", on_disconnect: "cancel" });
  const otherId = (await other.until("run-start"))?.data?.runId;
  await page.leave();
  await other.leave();
  const { conversationId, runId } = start?.data ?? {};
  const cancelled = api.service.runs.find(String(otherId), {});
  if (cancelled) await waitForEnd(cancelled, new AbortController().signal);
  const running = await json(api.send(`/agent/runs?status=running&conversation_id=${conversationId}`));
  expect(running.runs).toMatchObject([
    { run_id: runId, question: "First?", mode: "agent", parent: null, queue_id: null },
  ]);
  expect((await json(api.send("/agent/runs?status=running"))).runs).toHaveLength(1);
  const later = await api.follow(String(runId));
  gate.resolve();
  const all = await later.rest();
  expect([all.find(({ id }) => id === "1")?.event, all.at(-1)?.event]).toEqual(["run-start", "run-end"]);
  expect(all.at(-1)?.data).toMatchObject({ outcome: { status: "complete", response: "One." } });
});

test("questions wait for the end of a run, are asked in their order without their reader, and can be taken back", async () => {
  const gate = Promise.withResolvers<void>();
  const api = await serveApi({ turns: ["One.", "Two.", "Three.", "Four."], gate: gate.promise });
  const page = await api.stream({ message: "First?" });
  const id = String((await page.until("run-start"))?.data?.conversationId);
  const path = `/agent/conversations/${id}/queue`;
  const add = (message: string, as?: string) => json(api.send(path, { json: { message }, as }));
  const [second, third] = [await add("Second?"), await add("Never mind?")];
  await add("Third?");
  expect(await json(api.send(path))).toMatchObject({
    waiting: [{ message: "Second?", run_id: null, error: null }, {}, {}],
  });
  expect((await json(api.send(path, { as: "anna" }))).waiting).toEqual([]);
  const removed = `${path}/${third.queue_id}`;
  expect((await api.send(removed, { method: "DELETE", as: "anna" })).status).toBe(404);
  expect(await json(api.send(removed, { method: "DELETE" }))).toMatchObject({ message: "Never mind?" });
  expect((await api.send(removed, { method: "DELETE" })).status).toBe(404);
  const tab = readEvents(await api.send("/agent/events", { headers: { accept: "text/event-stream" } }));
  await tab.until("reload");
  gate.resolve();
  await page.rest();
  await expect.poll(async () => (await read(api, id)).turns.length).toBe(3);
  expect((await read(api, id)).turns.map(({ question, answer }) => [question, answer])).toEqual([
    ["First?", "One."],
    ["Second?", "Two."],
    ["Third?", "Three."],
  ]);
  for (let ended = 0; ended < 2; ) {
    const { data } = (await tab.until("run")) ?? {};
    if (data?.status === "complete" && data.question !== "First?") ended += 1;
  }
  expect(tab.seen.filter(({ event }) => event === "queue").at(-1)?.data).toEqual({ conversation_id: id, waiting: [] });
  expect(tab.seen.some(({ data }) => data?.queue_id === second.queue_id)).toBe(true);
  await tab.leave();
});

test("a deletion that is taken back brings the runs into their list again, and asks the questions that waited", async () => {
  const own = scriptedModel(["One.", "Three."]);
  const model: typeof own = {
    ...own,
    async stream(request, onEvent, signal) {
      const isHeld = JSON.stringify(request.messages.at(-1)).includes("Second?");
      if (isHeld) await waitAbortable(new Promise<never>(() => {}), signal);
      return own.stream(request, onEvent, signal);
    },
  };
  const api = await serveApi({ models: { functionCall: model, answer: model } });
  const first = await outcomeIn(api.chat({ message: "First?" }));
  const id = first.conversation_id;
  const page = await api.stream({ message: "Second?", conversation_id: id });
  const second = String((await page.until("run-start"))?.data?.runId);
  const third = await json(api.send(`/agent/conversations/${id}/queue`, { json: { message: "Third?" } }));
  const remove = () => api.send(`/agent/conversations/${id}?undo=true`, { method: "DELETE" });
  const listRuns = async (): Promise<{ run_id: string; question: string; status: string }[]> =>
    (await json(api.send(`/agent/runs?conversation_id=${id}`))).runs;
  expect((await remove()).status).toBe(202);
  expect(await listRuns()).toEqual([]);
  await api.send(`/agent/conversations/${id}/restore`, { method: "POST" });
  const complete = { run_id: third.reserved_run_id, question: "Third?", status: "complete" };
  await expect.poll(async () => (await listRuns())[0]).toMatchObject(complete);
  expect((await listRuns()).slice(1)).toMatchObject([
    { run_id: second, status: "cancelled" },
    { run_id: first.run_id, status: "complete" },
  ]);
  expect(asked(await read(api, id))).toEqual(["First?", "Second?", "Third?"]);
});

test("every page of an owner learns what another one has changed, and no page of anybody else", async () => {
  const api = await serveApi({ turns: ["One.", "Hers."] });
  const follow = async (as?: string) =>
    readEvents(await api.send("/agent/events", { headers: { accept: "text/event-stream" }, as }));
  const [tab, hers] = [await follow(), await follow("anna")];
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "First?" }));
  const entry = async () => (await tab.until("conversation"))?.data;
  while ((await entry())?.running !== false);
  await patch(api, id, { title: "Mine" });
  expect(await entry()).toMatchObject({ conversation_id: id, title: "Mine", turns: 1 });
  await api.send(`/agent/conversations/${id}?undo=true`, { method: "DELETE" });
  expect((await tab.until("conversation-removed"))?.data).toMatchObject({ conversation_id: id });
  await api.send(`/agent/conversations/${id}/restore`, { method: "POST" });
  expect(await entry()).toMatchObject({ title: "Mine" });
  await api.send(`/agent/conversations/${id}`, { method: "DELETE" });
  expect((await tab.until("conversation-removed"))?.data).toEqual({ conversation_id: id, restorable_until: null });
  await api.chat({ message: "Mine?" }, { as: "anna" });
  await hers.until("run");
  expect(JSON.stringify(hers.seen)).not.toContain(id);
  expect((await api.send("/agent/events")).status).toBe(406);
  await Promise.all([tab.leave(), hers.leave()]);
});

test("what another process changes reaches the page too", async () => {
  const home = await temporaryFolder();
  const settings = { conversations: { store: "disk" } };
  const { origin } = await startHttpDuet({ turns: [], settings, environment: { HOME: home, DUET_HOME: home } });
  const terminal = await createSqliteStore(join(home, "duet.db"));
  onTestFinished(() => terminal.close());
  await terminal.append(finishedRun("conv-1", "One?", "Yes."));
  const tab = readEvents(await fetch(`${origin}/agent/events`, { headers: { accept: "text/event-stream" } }));
  await tab.until("reload");
  // It may have been read before or after this: the page reads the list at the first event anyway.
  await terminal.change("conv-1", { name: "Renamed in the terminal" });
  await terminal.append(finishedRun("conv-2", "Two?", "Yes."));
  const next = setInterval(() => void terminal.change("conv-1", { name: `At ${performance.now()}` }), 50);
  expect((await tab.until("reload"))?.data).toEqual({});
  clearInterval(next);
  await tab.leave();
});

test("a model writes a title after the first answer, once, without its marks, and not where the setting says no", async () => {
  const api = await serveApi({ turns: ["Rain.", '**Title: "Weather in Bergen".**\nMore.', "Sun.", "No title."] });
  const tab = readEvents(await api.send("/agent/events", { headers: { accept: "text/event-stream" } }));
  const first = { message: "How is the weather?", make_title: true, mode: "chat" };
  const { conversation_id: id } = await outcomeIn(api.chat(first));
  for (let title: unknown; title !== "Weather in Bergen"; ) title = (await tab.until("conversation"))?.data?.title;
  expect(JSON.stringify(api.model.requests[1]?.messages)).toMatch(/How is the weather\?.*Rain\./);
  await outcomeIn(api.chat({ ...first, conversation_id: id, parent: 0 }));
  const off = await serveApi({ turns: ["Rain."], settings: { conversations: { store: "memory", titles: false } } });
  await outcomeIn(off.chat(first));
  expect([(await list(off))[0]?.title, off.model.requests.length, api.model.requests.length]).toEqual([
    "How is the weather?",
    1,
    3,
  ]);
  await tab.leave();
});

test("what came with a question comes with its edit again, and is read: an image as it is, everything else to be saved", async () => {
  const api = await serveApi({ turns: ["A square.", "Still."] });
  const attachments = [
    { name: "a.png", data: images.png.toString("base64") },
    { name: "page.html", media_type: "text/html", data: Buffer.from("<script>alert(1)</script>").toString("base64") },
  ];
  const { conversation_id: id } = await outcomeIn(api.chat({ message: "What is this?", mode: "chat", attachments }));
  await outcomeIn(api.chat({ message: "What is it?", mode: "chat", conversation_id: id, parent: 0, files_of: 1 }));
  const { turns } = await read(api, id);
  expect(turns).toMatchObject([{ question: "What is it?", attachments: [{ name: "a.png" }, { name: "page.html" }] }]);
  const [image, page] = turns[0]?.attachments ?? [];
  const file = (name = "", as?: string) => api.send(`/agent/conversations/${id}/files/${name}`, { as });
  const shown = await file(image?.id);
  expect([shown.headers.get("content-type"), Buffer.from(await shown.arrayBuffer())]).toEqual([
    "image/png",
    images.png,
  ]);
  const saved = await file(page?.id);
  expect([saved.headers.get("content-type"), saved.headers.get("content-disposition")]).toEqual([
    "application/octet-stream",
    `attachment; filename="page.html"; filename*=UTF-8''page.html`,
  ]);
  expect(saved.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect([(await file(image?.id, "anna")).status, (await file("0".repeat(64))).status]).toEqual([404, 404]);
});

test("an image of the internet comes from this server alone, when it is one that holds no script, from where tools may read", async () => {
  const asked: string[] = [];
  const site = createServer((request, response) => {
    asked.push(JSON.stringify(request.headers));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    if (request.url === "/gone") response.writeHead(404);
    else if (request.url === "/inside") response.writeHead(302, { location: "http://[::1]:9/secret.png" });
    // What a site says of its bytes counts for nothing.
    else response.setHeader("content-type", request.url === "/a.png" ? "text/html" : "image/png");
    response.end(request.url === "/a.png" ? images.png : svg);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  onTestFinished(() => void site.close());
  const address = site.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const api = await serveApi({ settings: { web: { reach: [new URL(origin).host] } } });
  const fetchImage = (url: string, from = api) =>
    from.send("/agent/images", { json: { url }, headers: { cookie: "duet=secret", authorization: "Bearer secret" } });
  const shown = await fetchImage(`${origin}/a.png`);
  expect([shown.status, shown.headers.get("content-type"), Buffer.from(await shown.arrayBuffer())]).toEqual([
    200,
    "image/png",
    images.png,
  ]);
  expect(asked.join()).not.toContain("secret");
  const refused = await Promise.all(
    [`${origin}/a.svg`, `${origin}/gone`, `${origin}/inside`].map((url) => fetchImage(url)),
  );
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect((await problemIn(refused[0] ?? Response.error())).detail).toMatch(/no image that can be shown/);
  // Without the setting, no private address is read.
  expect((await fetchImage(`${origin}/a.png`, await serveApi())).status).toBe(422);
  const { post } = await serveCallers(scriptedModel([]), [{ owner: "anna", tools: ["calculator"] }]);
  const ofAnna = await post("/agent/images", "anna", { url: `${origin}/a.png` });
  expect([ofAnna.status, (await problemIn(ofAnna)).detail]).toEqual([403, expect.stringContaining("read_page")]);
  const odd = ["data:image/png;base64,AAAA", "file:///etc/passwd", "javascript:alert(1)"];
  for (const url of odd)
    expect(await problemIn(await fetchImage(url))).toMatchObject({
      status: 400,
      detail: `url: "${url}" is not allowed (allowed: an http or https address of at most 2000 characters)`,
    });
});

test("images are fetched for two of a caller at a time, so many wait and no more, and for nobody where pages may not be read", async () => {
  const gate = Promise.withResolvers<void>();
  const asked: (string | undefined)[] = [];
  const site = createServer(async (request, response) => {
    asked.push(request.url);
    await gate.promise;
    response.end(images.png);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  onTestFinished(() => void site.close());
  const address = site.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const web = { reach: [new URL(origin).host] };
  const api = await serveApi({ settings: { web } });
  const want = (name: string, as?: string) => api.send("/agent/images", { json: { url: `${origin}/${name}` }, as });
  const mine = Array.from({ length: 21 }, () => want("mine"));
  // One of them is refused at once, while the others wait.
  expect((await Promise.race(mine)).status).toBe(429);
  const hers = want("hers", "anna");
  await expect.poll(() => asked).toContain("/hers");
  expect(asked.filter((url) => url === "/mine").length).toBeLessThanOrEqual(2);
  gate.resolve();
  const ends = (await Promise.all([...mine, hers])).map(({ status }) => status).sort();
  expect(ends).toEqual([...Array.from({ length: 21 }, () => 200), 429]);
  const denied = await serveApi({ settings: { web, tools: { deny: ["read_page"] } } });
  expect((await denied.send("/agent/images", { json: { url: `${origin}/a` } })).status).toBe(403);
});
