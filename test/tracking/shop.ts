import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the shop's server was sent with an order. */
interface Order {
  readonly clickId: string;
  readonly email: string;
}

export interface Shop {
  readonly url: string;
  readonly orders: Order[];
  /** The page at a path; every other path is a page with the script and a form. */
  readonly pages: Map<string, { html: string; headers?: Record<string, string> }>;
  readonly close: () => Promise<void>;
}

/** A shop on an origin of its own: each page has the script, links to the others and a form to buy. */
export const openShop = async (script: () => string): Promise<Shop> => {
  const orders: Order[] = [];
  const pages: Shop['pages'] = new Map();
  const page = () => `<!doctype html><title>Shop</title>${script()}
    <nav><a href="/one">One</a> <a href="/two">Two</a> <a href="/checkout">Checkout</a></nav>
    <form action="/buy" method="post">
      <input name="email" value="customer@example.com"><input type="hidden" name="clickId" data-affiliate>
      <button>Buy</button>
    </form>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop.example');
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (pathname === '/buy') {
        const fields = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
        orders.push({ clickId: fields.clickId ?? '', email: fields.email ?? '' });
      }
      const own = pages.get(pathname);
      response.writeHead(pathname === '/favicon.ico' ? 204 : 200, { 'content-type': 'text/html', ...own?.headers });
      response.end(pathname === '/buy' ? '<h1>Thank you</h1>' : (own?.html ?? page()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    pages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
