package dev.belay.server.attach;

import dev.belay.Approval;
import dev.belay.Session;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a viewer knows about the questions of its session. Belongs to the viewer's thread.
final class ApprovalsTold {
    private final Session session;
    private final ViewerConnection connection;
    private final boolean watched;
    private final Map<String, Integer> told = new LinkedHashMap<>();

    ApprovalsTold(Session session, ViewerConnection connection) {
        this.session = session;
        this.connection = connection;
        this.watched = session.spec().guard().watched();
    }

    /// Reports one change.
    ///
    /// @return false if there is none
    boolean tell() throws IOException, InterruptedException {
        if (!watched) {
            return false;
        }
        Map<String, Approval> open = new LinkedHashMap<>();
        session.approvals().forEach(one -> open.put(one.id(), one));
        for (String id : told.keySet()) {
            if (!open.containsKey(id)) {
                told.remove(id);
                Approval closed = session.closedApproval(id).orElse(null);
                if (closed != null) {
                    connection.approvalClosed(closed);
                }
                return true;
            }
        }
        for (Approval approval : open.values()) {
            if (told.getOrDefault(approval.id(), 0) != approval.count()) {
                told.put(approval.id(), approval.count());
                connection.approval(approval);
                return true;
            }
        }
        return false;
    }
}
