import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';

/** Apollo, code first, with subscriptions over graphql-ws. */
export function graphql(options: Partial<ApolloDriverConfig> = {}): ReturnType<typeof GraphQLModule.forRoot> {
  return GraphQLModule.forRoot<ApolloDriverConfig>({
    driver: ApolloDriver,
    autoSchemaFile: true,
    graphiql: false,
    includeStacktraceInErrorResponses: false,
    subscriptions: { 'graphql-ws': true },
    ...options,
  });
}
