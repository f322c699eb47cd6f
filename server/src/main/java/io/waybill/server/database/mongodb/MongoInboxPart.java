package io.waybill.server.database.mongodb;

import com.mongodb.client.MongoClient;
import io.waybill.mongodb.inbox.InboxSchema;
import io.waybill.mongodb.inbox.MongoInbox;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.StoredPart;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.function.Function;

/** The collections of the inbox. */
record MongoInboxPart(MongoOutboxDatabase database) implements StoredPart<InboxOperations> {
    @Override
    public int version() {
        return InboxSchema.VERSION;
    }

    @Override
    public void create() {
        database.ping();
        InboxSchema.apply(database.client(), database.name());
    }

    @Override
    public List<String> problems() {
        database.ping();
        return InboxSchema.problems(database.client(), database.name());
    }

    @Override
    public InboxOperations open() {
        MongoClient client = database.client();
        MongoInbox inbox = MongoInbox.on(client, database.name());
        return new InboxOperations(inbox.view(), inbox.deadLetters());
    }

    /** The client of commands already pools its connections. */
    @Override
    public Exit pooled(Function<InboxOperations, Exit> work) {
        return work.apply(open());
    }
}
