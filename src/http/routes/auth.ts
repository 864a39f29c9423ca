import { z } from 'zod';
import { exchangeToken } from '#service/auth/exchange.ts';
import { publicRoute } from '../route.ts';

const tokenSchema = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    issued_token_type: z.string(),
  })
  .meta({ id: 'TokenAnswer' });

export const authRoutes = [
  publicRoute<ReadonlyMap<string, string>>({
    method: 'POST',
    path: '/auth/token',
    summary: 'Exchange an API key for an access token',
    success: { status: 200, schema: tokenSchema },
    body: { kind: 'form', limit: 65_536 },
    handle: async ({ ports, body }) => {
      const exchange = await exchangeToken(ports, body);
      if (exchange.ok) return { json: exchange.answer };
      const { status, ...refusal } = exchange.refusal;
      return { status, json: refusal };
    },
  }),
];
