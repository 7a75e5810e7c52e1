import { WsAdapter } from '@nestjs/platform-ws';
import { SocketClient } from '../../support/nest/socket-client.js';
import { describeGateway } from '../../support/nest/websocket.contract.js';

describeGateway({
  name: 'ws',
  adapt: (app) => app.useWebSocketAdapter(new WsAdapter(app)),
  connect: (url) => SocketClient.overWebSocket(url),
});
