import { unreadable } from './archive-limits.ts';

const maxNameLength = 1_024;

/**
 * The names of a container, each accepted once: relative, of plain segments. Refused: `..` and `.`, absolute paths and
 * drives, back slashes, control characters, the same name twice, and a file that another entry uses as its folder.
 */
export interface EntryNames {
  readonly add: (name: string) => void;
}

export function entryNames(): EntryNames {
  const files = new Set<string>();
  const folders = new Set<string>();
  return {
    add: (name) => {
      checkName(name);
      if (name.endsWith('/')) {
        addFolders(name.slice(0, -1).split('/'));
        return;
      }
      const segments = name.split('/');
      addFolders(segments.slice(0, -1));
      if (files.has(name) || folders.has(name)) throw unreadable('the container names an entry twice');
      files.add(name);
    },
  };

  function addFolders(segments: readonly string[]): void {
    let path = '';
    for (const segment of segments) {
      path = path === '' ? segment : `${path}/${segment}`;
      if (files.has(path)) throw unreadable('the container uses a file as a folder');
      folders.add(path);
    }
  }
}

function checkName(name: string): void {
  const plain = name.endsWith('/') ? name.slice(0, -1) : name;
  const bad = name.length > maxNameLength || /[\\\p{Cc}]|^[A-Za-z]:/u.test(name);
  if (bad || plain.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw unreadable('the container holds a path that leads elsewhere');
  }
}
