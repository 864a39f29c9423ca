/** Files read at once in this process: each may take a gigabyte. */
const atOnce = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Resolves when it is this file's turn, with what ends it; ending twice is ending once. */
export async function takeTurn(): Promise<() => void> {
  // Whoever ends hands its place to the first that waits.
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  let hasEnded = false;
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
}
