import { createServer, type ServerResponse } from 'node:http';

/**
 * The model server of the suite, in the OpenAI chat-completions protocol. The host under test must route the deployment
 * `acceptance` to it. It does what the prompt asks for by a word, so that it keeps nothing between two calls:
 * JUDGE-PASS, JUDGE-FAIL, JUDGE-HANG, JUDGE-GARBAGE, JUDGE-500. USE-TOOLS asks for every tool it is offered, once, and then says
 * what the tools told.
 */
const port = Number(process.env.TOUCHSTONE_MODEL_PORT ?? 18_099);

export default async function setup(): Promise<() => Promise<void>> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(Buffer.concat(chunks).toString('utf8'), response);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
}

function answer(prompt: string, response: ServerResponse): void {
  if (prompt.includes('JUDGE-HANG')) return;
  const status = prompt.includes('JUDGE-500') ? 500 : 200;
  response.writeHead(status, { 'content-type': 'application/json' });
  if (status !== 200) response.end('{"error":{"message":"asked for"}}');
  else response.end(JSON.stringify(prompt.includes('USE-TOOLS') ? withTools(prompt) : completion(contentFor(prompt))));
}

function contentFor(prompt: string): string {
  if (prompt.includes('JUDGE-GARBAGE')) return 'I would rather write a poem.';
  const outcome = prompt.includes('JUDGE-FAIL') ? 'failed' : 'passed';
  const citations = [{ slot: 'text', locator: { json_pointer: '' } }];
  return JSON.stringify({ outcome, reason: `the prompt asks for ${outcome}`, citations });
}

function completion(content: string) {
  return {
    id: 'acceptance',
    object: 'chat.completion',
    created: 0,
    model: 'acceptance-model',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const toolArguments: Readonly<Record<string, object>> = {
  fs_read: { path: '/inputs/note' },
  fs_search: { pattern: 'acorn' },
  fs_extract: { path: '/inputs/table' },
  code_run: { source: 'def main(workspace):\n    return sorted(workspace.list())' },
  cards_list: { kind: 'Verifier' },
  bifrost_query: { sql: 'select 40 + 2 as answer' },
};

function withTools(prompt: string) {
  const { messages, tools = [] } = JSON.parse(prompt) as ChatRequest;
  const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  if (told.length > 0) return completion(told.join('\n'));
  const tool_calls = tools.map(({ function: { name } }, index) => ({
    id: `call-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(toolArguments[name] ?? {}) },
  }));
  const answered = completion('');
  const message = { role: 'assistant', content: null, tool_calls };
  return { ...answered, choices: [{ index: 0, finish_reason: 'tool_calls', message }] };
}
