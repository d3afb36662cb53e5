/** A browser as far as a sign-in needs one: it keeps cookies, follows nothing by itself, and says where a request comes from. */
export function createBrowser() {
  const cookies = new Map<string, string>();

  async function send(method: string, address: string | URL, headers: Record<string, string> = {}, body?: string) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = { ...(cookie === "" ? {} : { cookie }), ...headers };
    const response = await fetch(address, { method, headers: sent, redirect: "manual", ...(body ? { body } : {}) });
    const set = response.headers.getSetCookie();
    for (const line of set) {
      const [, name = "", value = "", maxAge] = /^([^=]+)=([^;]*); Max-Age=(\d+);/.exec(line) ?? [];
      if (maxAge === "0") cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get("location"),
      set,
      text,
    };
  }

  return {
    cookies,
    /** What a person clicks or types. */
    visit: (address: string | URL) => send("GET", address, { "sec-fetch-site": "none" }),
    /** What a page of the server itself sends. */
    fetch: (method: string, address: string, body?: unknown) =>
      send(
        method,
        address,
        { "sec-fetch-site": "same-origin", ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body === undefined ? undefined : JSON.stringify(body),
      ),
    send,
  };
}

export type Browser = ReturnType<typeof createBrowser>;
