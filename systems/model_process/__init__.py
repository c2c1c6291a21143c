"""The one process that hosts the sentence model and, where asked, the lips' and brows': its protocol and both ends.

    process = ModelProcess(Settings(gesture=Named("kinesics.systems.speech_gesture.session:host", {"weights": folder})))
    process.start()                 # returns at once; process.state tells how far it is
    process.ask(sentence)           # a newer one of the same avatar takes its place, or waits to go on from it
    for answer in process.poll():   # Window, Lost or Rows; never waits
        ...
    process.close()

Nothing here ticks: whoever hosts a world asks and polls between two ticks, and posts what came through its inbox.
"""
