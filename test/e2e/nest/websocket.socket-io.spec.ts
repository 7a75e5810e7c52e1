import { IoAdapter } from '@nestjs/platform-socket.io';
import { SocketClient } from '../../support/nest/socket-client.js';
import { describeGateway } from '../../support/nest/websocket.contract.js';

describeGateway({
  name: 'socket.io',
  adapt: (app) => app.useWebSocketAdapter(new IoAdapter(app)),
  connect: (url) => SocketClient.overSocketIo(url),
});
