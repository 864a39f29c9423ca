import type { DrivePorts } from '#service/drive/performing.ts';

const unused = async (): Promise<never> => {
  throw new Error('nothing here performs this');
};

/** Effects of a driver whose work is answered otherwise: none is there to be called. */
export const noEffects: Pick<DrivePorts, 'artifacts' | 'models' | 'sandbox' | 'extract' | 'traces'> = {
  artifacts: { file: unused },
  models: { generate: unused },
  sandbox: { run: unused, close: async () => {} },
  extract: { extract: unused },
  traces: { read: unused },
};
