// Google's generateContent, as spoken by the scripted outer model.

export const matches = (url) => /:(?:streamG|g)enerateContent/.test(url);

export function readTools(body) {
  return (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => ({ name }));
}

export function readResults(body) {
  const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
  return parts.filter((part) => part.functionResponse).map((part) => toText(part.functionResponse.response));
}

export function write(response, _body, { call, text }, id, url) {
  const part = call ? { functionCall: { id, name: call.name, args: call.args } } : { text };
  const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const body = JSON.stringify({ candidates, usageMetadata, modelVersion: "scripted", responseId: id });
  const isStream = url.includes(":stream");
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  response.end(isStream ? `data: ${body}\n\n` : body);
}

function toText(result) {
  return typeof result?.output === "string" ? result.output : JSON.stringify(result ?? "");
}
