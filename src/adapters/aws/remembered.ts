/** Texts that never change, kept in memory up to a number of bytes; the one unused for longest goes first. */
export interface Remembered {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
}

export function rememberTexts(mostBytes: number): Remembered {
  const texts = new Map<string, string>();
  let bytes = 0;
  const forget = (key: string) => {
    // A character takes two bytes at most in memory.
    bytes -= 2 * (texts.get(key)?.length ?? 0);
    texts.delete(key);
  };
  return {
    get(key) {
      const text = texts.get(key);
      if (text === undefined) return undefined;
      // A Map remembers the order of insertion: putting it back makes it the newest.
      texts.delete(key);
      texts.set(key, text);
      return text;
    },
    set(key, text) {
      forget(key);
      texts.set(key, text);
      bytes += 2 * text.length;
      for (const oldest of texts.keys()) {
        if (bytes <= mostBytes) break;
        forget(oldest);
      }
    },
  };
}
