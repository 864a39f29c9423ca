import { openEmbeddedHost } from '#test/support/http-case.ts';
import { conformanceThroughHttp } from '#test/support/http-conformance.ts';

conformanceThroughHttp('the embedded stores', openEmbeddedHost);
