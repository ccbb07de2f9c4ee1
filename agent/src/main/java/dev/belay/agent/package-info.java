/// The tools that agents drive sessions with. Start at [dev.belay.agent.AgentTools].
@NullMarked
package dev.belay.agent;

import org.jspecify.annotations.NullMarked;
