import type { Socket } from 'node:net';

/** Calls back once: when the next response of this connection has arrived whole, or the connection is closed. */
export function onResponse(server: Socket, done: () => void): void {
  let head = '';
  let bytesLeft: number | undefined;
  const finish = () => {
    server.off('data', receive).off('close', finish);
    done();
  };
  const receive = (chunk: Buffer) => {
    if (bytesLeft !== undefined) bytesLeft -= chunk.length;
    else {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      bytesLeft = Number(length ?? Number.NaN) - (head.length - end - 4);
    }
    // A response without a length comes in chunks, of which the last one is empty.
    const isWhole = Number.isNaN(bytesLeft) ? chunk.toString('latin1').endsWith('0\r\n\r\n') : bytesLeft <= 0;
    if (isWhole) finish();
  };
  server.on('data', receive).on('close', finish);
}
