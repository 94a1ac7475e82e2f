// Requests to the server. Each takes an AbortSignal, and throws an ApiError unless it succeeds.

import { send } from "./send.js";

/** An answer of the server other than success, or the lack of one, for which status is 0. */
export class ApiError extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter; // seconds, 0 if the server does not say
  }

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

export const models = async () => json(await request("v1/models"));

export const translate = async (body, signal) => json(await request("v1/translate", body, signal));

export const alternatives = async (body, signal) =>
  json(await request("v1/alternatives", body, signal));

/** Yields the events of a greedy translation as {event, data}. The last is "done", and "end" with body.split. */
export async function* stream(body, signal) {
  const response = await request("v1/stream", body, signal);
  for await (const { event, data } of events(response.body)) {
    if (event === "error") throw new ApiError(data.error, 500);
    yield { event, data };
    if (event === (body.split ? "end" : "done")) return;
  }
  throw unreachable();
}

let key = "";

/** Sets the key of later requests. */
export function useKey(value) {
  key = value;
}

async function request(path, body, signal) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ copy_unknown: true, ...body }),
  };
  let response;
  try {
    response = await send(path, { ...options, signal });
  } catch (error) {
    throw error.name === "AbortError" || error instanceof ApiError ? error : unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function json(response) {
  try {
    return await response.json();
  } catch (error) {
    throw error.name === "AbortError" ? error : unreachable();
  }
}

async function refusal(response) {
  const answer = await response.json().catch(() => ({}));
  const message = answer.error ?? `the server answers ${response.status} ${response.statusText}`;
  return new ApiError(message, response.status, Number(response.headers.get("Retry-After")) || 0);
}

const unreachable = () => new ApiError("The server does not answer.");

/** Yields the server-sent events of a body whose data is JSON. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      const blocks = buffer.split("\n\n");
      buffer = blocks.pop();
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw error.name === "TypeError" ? unreachable() : error;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Returns the event of a block of lines, or undefined if it is a comment. */
function parseEvent(block) {
  const field = (name) =>
    block
      .split("\n")
      .filter((line) => line.startsWith(name + ":"))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
      .join("\n");
  const data = field("data");
  return data === "" ? undefined : { event: field("event"), data: JSON.parse(data) };
}
