require "erb"

module Mailer
  class Message
    attr_reader :to, :subject, :lines

    def initialize(to:, subject:)
      @to = to
      @subject = subject
      @lines = []
    end

    def add(line)
      raise ArgumentError, "empty" if line.strip.empty?

      @lines << line
      self
    end

    def body
      template = ERB.new("<%= lines.join('\n') %>")
      template.result(binding)
    end
  end

  class Outbox
    def initialize(transport)
      @transport = transport
      @failed = []
    end

    def deliver(messages)
      messages.each do |message|
        begin
          @transport.send(message.to, message.subject, message.body)
        rescue IOError => error
          @failed << [message, error]
        end
      end
      @failed.size
    end

    def retry
      waiting, @failed = @failed, []
      waiting.each do |message, _error|
        deliver([message])
      end
    end
  end
end
